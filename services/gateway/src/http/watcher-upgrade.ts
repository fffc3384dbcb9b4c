import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** RFC 6455 section 1.3. */
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** A close frame with the status 1000 (RFC 6455 sections 5.5.1 and 7.4.1). */
const CLOSE_NORMALLY = Buffer.from([0x88, 0x02, 0x03, 0xe8]);
const WATCHED = /^\/firecrawl\/v2\/(?:crawl|batch\/scrape)\/[\w-]{1,100}$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,400}$/;
const NONCE = /^[A-Za-z0-9+/]{22}==$/;
const CLOSING_MS = 2_000;

/**
 * Returns whether a request is the WebSocket of Firecrawl's watcher. Other requests to upgrade, such as that of HTTP/2, are answered as if
 * they had none (RFC 9110 section 7.8).
 */
export function isWatcher({ headers, url = '' }: IncomingMessage): boolean {
  const [path = ''] = url.split('?');
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket' && NONCE.test(headers['sec-websocket-key'] ?? '');
  return isWebSocket && WATCHED.test(path);
}

/**
 * Accepts the WebSocket of a watcher and closes it at once, after which the watcher polls the job and delivers every page. A refused upgrade
 * would end the watcher without pages. Nothing about the job is sent, so no key is checked.
 */
export function respondToWatcher({ headers }: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const nonce = headers['sec-websocket-key'] ?? '';
  const [protocol = ''] = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const accept = createHash('sha1').update(`${nonce}${HANDSHAKE}`).digest('base64');
  // The watcher sends the API key as the name of a protocol and expects it back.
  const chosen = TOKEN.test(protocol) ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : '';
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${chosen}\r\n`,
  );
  socket.write(CLOSE_NORMALLY);
  // The client answers with a close frame; a silent one loses the connection.
  socket.once('data', () => socket.end());
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}
