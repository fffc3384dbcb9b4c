import { createServer, type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import express from 'express';
import { UnreadResponses } from './unread-responses.ts';

const MB = 1_048_576;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Sends 20 MB to each client, within a limit of 50 MB. */
async function listen(): Promise<string> {
  const unread = new UnreadResponses(50 * MB);
  const app = express();
  app.get('/', (_request, response) => {
    unread.hold(response, 20 * MB);
    response.send(Buffer.alloc(20 * MB));
  });
  app.use(((error, _request, response, _next) => {
    response.status(503).json({ code: error.code });
  }) satisfies express.ErrorRequestHandler);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}/`;
}

/** Requests and reads nothing of the body. */
function stalled(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false }, resolve);
    sent.on('error', reject).end();
  });
}

describe('UnreadResponses', () => {
  it('refuses large responses with 503 while clients do not read those they have', async () => {
    const url = await listen();
    const responses = await Promise.all([stalled(url), stalled(url)]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await fetch(url)).status).toBe(503);
    responses[0]?.destroy();
    await until('the memory of the closed response is free', async () => {
      const response = await fetch(url);
      await response.arrayBuffer();
      return response.status === 200;
    });
    responses[1]?.destroy();
  });
});
