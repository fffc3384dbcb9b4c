import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Attempt, reportOf, type Sender, send } from './attempt.ts';

const target = {
  id: 'startThing',
  method: 'POST',
  path: '/things',
  scope: 'write',
  parameters: [],
  body: {},
  isOfPeople: false,
  streams: false,
  waitSeconds: 0,
};
let server: Server;
let sender: Sender;
let requests = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    const respond = (status: number, headers = {}): void =>
      void response
        .writeHead(status, { 'x-request-id': 'r', 'content-type': 'application/json', ...headers })
        .end('{}');
    if (request.url === '/v1/internal') respond(500);
    else if (request.url === '/v1/busy') respond(requests === 1 ? 503 : 200, { 'retry-after': '1' });
    else if (request.url === '/v1/late') setTimeout(() => respond(200), 2_100);
    else if (request.url === '/v1/cut') request.socket.destroy();
    else respond(200);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  sender = { url: `http://127.0.0.1:${port}`, key: () => 'secret', check: () => [] };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const attempt = (path: string): Attempt => ({ target, path, body: '{"a":"it\'s"}', note: 'a note' });

describe('an attempt of the attack suite', () => {
  test('that is answered with 500 is reported with its route, its body and a command that sends it again', async () => {
    const failed = attempt('/internal');
    const outcome = await send(sender, failed);
    expect(outcome.problems).toEqual(['status 500: {}']);
    expect(reportOf(sender, failed, outcome)).toBe(
      `POST /things (startThing): a note\n  status 500: {}\n  curl -sS -X POST -H "authorization: Bearer $KEY" -H 'content-type: application/json' --data-binary '{"a":"it'\\''s"}' '${sender.url}/v1/internal'`,
    );
  });

  test('that finds the fleet busy is sent again after Retry-After, and is no failure', async () => {
    requests = 0;
    expect(await send(sender, attempt('/busy'))).toMatchObject({ problems: [], response: { status: 200 } });
    expect(requests).toBe(2);
  });

  test('that is answered late each time is a failure that states the time', async () => {
    requests = 0;
    const { problems } = await send(sender, attempt('/late'));
    expect(problems).toEqual([expect.stringMatching(/^answered after \d+\.\d s, expected at most 2 s$/)]);
    expect(requests).toBe(3);
  });

  test('that is not answered is a failure', async () => {
    expect((await send(sender, attempt('/cut'))).problems).toEqual([expect.stringMatching(/^no response: /)]);
  });

  test('whose response differs from the document is a failure that states the difference', async () => {
    const strict = { ...sender, check: () => ['/data is missing'] };
    expect((await send(strict, attempt('/fine'))).problems).toEqual(['unlike the document: /data is missing']);
  });
});
