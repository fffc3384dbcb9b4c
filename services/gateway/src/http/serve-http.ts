import { createServer, type Server } from 'node:http';
import { parseListen } from '@tidemark/service';
import type { Express } from 'express';

const BAD_REQUEST = JSON.stringify({
  error: 'the request could not be read as HTTP',
  code: 'validation',
  request_id: '',
});

/** Time without traffic after which a connection is closed, ms: longer than a scrape may wait. */
const STALLED_MS = 180_000;

/** Listens with limits on header size, header time, request time and idle time. */
export async function serveHttp(app: Express, address: string): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 130_000,
      // Interval at which the two timeouts are checked. The default of 30 s would prolong them.
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    app,
  );
  // A client that reads nothing of its response loses its connection, and the response its memory.
  server.setTimeout(STALLED_MS);
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return;
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${BAD_REQUEST.length}\r\nConnection: close\r\n\r\n${BAD_REQUEST}`,
    );
  });
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
