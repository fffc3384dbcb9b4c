import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { until } from '@tidemark/testkit';
import express from 'express';
import { sendFile } from './send-file.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

async function* chunksOf(texts: readonly string[], failure?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  if (failure !== undefined) throw failure;
}

async function serve(chunks: AsyncIterable<Uint8Array>, stop = new AbortController()): Promise<string> {
  const app = express();
  app.get('/', (_, response) => sendFile(response, { chunks, stop }));
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}

test('a file is sent chunk by chunk and ends normally', async () => {
  const url = await serve(chunksOf(['one ', 'two']));
  expect(await (await fetch(url)).text()).toBe('one two');
});

test('a failure after the first byte breaks the connection, so that the client sees an incomplete file', async () => {
  const url = await serve(chunksOf(['one '], new Error('the archive is unavailable')));
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test('a client that disconnects stops the source', async () => {
  const stop = new AbortController();
  let isEnded = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      isEnded = true;
    }
  }
  const client = new AbortController();
  const response = await fetch(await serve(endless(), stop), { signal: client.signal });
  await response.body?.getReader().read();
  client.abort();
  await until('the end of the source', () => isEnded);
  expect(stop.signal.aborted).toBe(true);
});
