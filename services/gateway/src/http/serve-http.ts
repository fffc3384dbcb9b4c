import { createServer, type Server } from 'node:http';
import { newId } from '@tidemark/contracts';
import { parseListen } from '@tidemark/service';
import type { Express } from 'express';
import { limitConnections, MAX_CONNECTIONS_PER_ADDRESS } from './connection-limit.ts';
import type { IsTrustedProxy } from './trusted-proxies.ts';
import { isWatcher, respondToWatcher } from './watcher-upgrade.ts';

/** Returns the whole response to bytes that are no HTTP request, or whose headers are too large: node answers nothing of its own. */
function unreadableRequest(requestId: string): string {
  const body = JSON.stringify({
    error: 'the request could not be read as HTTP',
    code: 'validation',
    request_id: requestId,
  });
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

export interface HttpLimits {
  readonly maxConnectionsPerAddress?: number;
  /** By default no address is a proxy. */
  readonly isTrustedProxy?: IsTrustedProxy;
  /** Time in which a client must have sent its headers, and its whole request, ms. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** A connection without any progress is closed after this time, ms: longer than any request waits, so that only stalled readers are. */
const STALLED_MS = 150_000;

/** Listens with limits on connections, header size, header time, request time and idle time. */
export async function serveHttp(app: Express, address: string, limits: HttpLimits = {}): Promise<Server> {
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, isTrustedProxy = () => false } = limits;
  const { maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS } = limits;
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // Interval at which the two timeouts are checked. The default of 30 s would prolong them.
      connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
      keepAliveTimeout: 65_000,
      shouldUpgradeCallback: isWatcher,
      noDelay: true,
    },
    app,
  );
  // A client that reads nothing of its response loses its connection, and the response its memory.
  server.setTimeout(STALLED_MS);
  limitConnections(server, maxConnectionsPerAddress, isTrustedProxy);
  server.on('upgrade', respondToWatcher);
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return;
    socket.end(unreadableRequest(newId('req')));
  });
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
