import { connect } from 'node:net';

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
