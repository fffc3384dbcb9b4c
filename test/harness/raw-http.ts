import { connect } from 'node:net';
import type { ApiResponse } from './api.ts';

/**
 * Sends bytes to a server, which need not be HTTP, and returns everything received until the server closes the connection or sends
 * nothing for `silentAfterMs`.
 */
export function sendRaw(url: string, bytes: string | Uint8Array, { silentAfterMs = 400 } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(silentAfterMs, () => socket.destroy());
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // A reset is a response, too.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

/** Parses one whole HTTP/1.1 response with a JSON body, as `sendRaw` returns it. @throws SyntaxError where the body is not JSON */
export function parseCompletion(received: string): ApiResponse {
  const headEnd = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const text = received.slice(headEnd + 4);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Headers(fields), text, body: JSON.parse(text) };
}
