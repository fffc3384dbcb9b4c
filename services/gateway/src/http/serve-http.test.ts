import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import express from 'express';
import { serveHttp } from './serve-http.ts';

it('gives a refused request that is no valid HTTP a request id, in the header and in the body', async () => {
  const server = await serveHttp(express(), '127.0.0.1:0');
  const bound = server.address();
  const socket = connect(typeof bound === 'object' && bound !== null ? bound.port : 0, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET /v1/scrape?url=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: example.com\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  server.close();
  const id = /^X-Request-Id: (req_\w+)$/m.exec(head)?.[1];
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(id).toBeDefined();
  expect(JSON.parse(body)).toMatchObject({ code: 'validation', request_id: id });
});
