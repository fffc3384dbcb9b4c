import { once } from 'node:events';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { KEYS, siteExampleClient } from '../../test/h2-site.ts';
import { failureOf, listen, SITE_ADDRESS } from '../../test/loopback-site.ts';
import { FetchFailed } from '../errors/errors.ts';

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

const client = () => keep(siteExampleClient());

/** A frame of RFC 9113 section 4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));

/** Serves a TLS site that negotiates HTTP/2 and then writes these bytes. */
async function startRawH2(response: (socket: TLSSocket) => void): Promise<string> {
  const sockets = new Set<TLSSocket>();
  const server = createTlsServer({ ...KEYS, ALPNProtocols: ['h2'] }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    once(socket, 'data').then(
      () => response(socket),
      () => {},
    );
  });
  server.on('tlsClientError', () => {});
  const port = await listen(server, SITE_ADDRESS);
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `https://site.example:${port}/`;
}

describe('HttpClient.fetch with a malformed HTTP/2 response', () => {
  it.each<[string, Buffer]>([
    ['no frames at all', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['a frame larger than allowed', Buffer.concat([SETTINGS, frame(0, 0, 1, Buffer.alloc(1 << 20))])],
    ['data before headers', Buffer.concat([SETTINGS, frame(0, 1, 1, Buffer.from('x'))])],
    ['headers that are not HPACK', Buffer.concat([SETTINGS, frame(1, 4, 1, Buffer.alloc(50, 0xff))])],
    ['headers of a stream that was not opened', Buffer.concat([SETTINGS, frame(1, 5, 7, Buffer.from([0x88]))])],
    ['a pushed stream', Buffer.concat([SETTINGS, frame(5, 4, 1, Buffer.from([0, 0, 0, 2, 0x88]))])],
    [
      'header blocks without end',
      Buffer.concat([
        SETTINGS,
        frame(1, 0, 1, Buffer.from([0x88])),
        ...Array.from({ length: 20_000 }, () => frame(9, 0, 1, Buffer.alloc(1))),
      ]),
    ],
    [
      'pings without end',
      Buffer.concat([SETTINGS, ...Array.from({ length: 20_000 }, () => frame(6, 0, 0, Buffer.alloc(8)))]),
    ],
    ['settings without end', Buffer.concat(Array.from({ length: 20_000 }, () => SETTINGS))],
    ['a window update of zero', Buffer.concat([SETTINGS, frame(8, 0, 0, Buffer.alloc(4))])],
    ['no bytes and a closed connection', Buffer.alloc(0)],
  ])('fails within its deadline for %s', async (_title, bytes) => {
    const url = await startRawH2((socket) => socket.end(bytes));
    const startedAt = performance.now();
    const failure = await failureOf(client().fetch(url, { timeoutMs: 2_000 }));
    expect(failure).toBeInstanceOf(FetchFailed);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});
