import { afterAll, describe, test } from '@jest/globals';
import { messageOf } from '@tidemark/errors';
import { needs } from '@tidemark/testkit/needs';
import type { RealServer } from './real-server.ts';

/** Declares a suite on a server that it starts. Where the server can not be fetched, one test stands for the skipped suite, under a title with the reason. */
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
    needs('fetched-server', false, () =>
      test(`every test with ${name}, which can not be fetched: ${reason}`, () => undefined),
    );
    return;
  }
  describe(`with ${name}`, () => {
    afterAll(() => server.close());
    suite(server);
  });
}
