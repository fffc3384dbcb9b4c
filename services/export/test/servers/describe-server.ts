import { afterAll, describe, test } from '@jest/globals';
import { messageOf } from '@tidemark/errors';
import type { RealServer } from './real-server.ts';

/** Declares a suite on a server that it starts. Where the server can not be fetched, the suite is skipped under a title with the reason. */
export async function describeServer<Server extends RealServer>(
  name: string,
  start: () => Promise<Server>,
  suite: (server: Server) => void,
): Promise<void> {
  let server: Server;
  try {
    server = await start();
  } catch (error) {
    const reason = messageOf(error);
    describe.skip(`${name} (ABSENT: ${reason})`, () => test.skip('every test of this server', () => undefined));
    return;
  }
  describe(`with ${name}`, () => {
    afterAll(() => server.close());
    suite(server);
  });
}
