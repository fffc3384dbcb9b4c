import type { Server } from 'node:http';
import { clientGroup, type IsTrustedProxy } from './trusted-proxies.ts';

const REFUSAL = JSON.stringify({
  error: 'too many open connections from this address; close some, or reuse them',
  code: 'rate_limited',
  request_id: '',
});
const RETRY_SECONDS = 5;
/** Default limit. A browser opens 6 connections to a host, a client library a few dozen. */
export const MAX_CONNECTIONS_PER_ADDRESS = 256;

/** Refuses connections of an address that has too many. Connections of trusted proxies are those of many clients and are not counted. */
export function limitConnections(server: Server, maxPerAddress: number, isTrusted: IsTrustedProxy): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrusted(address)) return;
    const group = clientGroup(address);
    const count = (open.get(group) ?? 0) + 1;
    open.set(group, count);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left === 0) open.delete(group);
      else open.set(group, left);
    });
    if (count <= maxPerAddress) return;
    socket.on('error', () => undefined);
    socket.end(
      `HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: ${REFUSAL.length}\r\nRetry-After: ${RETRY_SECONDS}\r\nConnection: close\r\n\r\n${REFUSAL}`,
    );
    socket.destroySoon();
  });
}
