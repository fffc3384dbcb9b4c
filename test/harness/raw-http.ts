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

/** Returns the messages in a markdown file of llhttp's tests: lines end in CRLF, escapes stand for bytes. */
export function messagesIn(markdown: string): string[] {
  return [...markdown.matchAll(/```http\n([\s\S]*?)```/g)].map(([, text = '']) =>
    text
      .replaceAll(/\\\n/g, '')
      .replaceAll('\n', '\r\n')
      .replaceAll(/\\r/g, '\r')
      .replaceAll(/\\n/g, '\n')
      .replaceAll(/\\t/g, '\t')
      .replaceAll(/\\f/g, '\f')
      .replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}
