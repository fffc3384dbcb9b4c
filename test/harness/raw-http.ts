import { connect } from 'node:net';

/**
 * Sends bytes to a server as they are and answers with all it said until it hung up, or until it was silent for a while.
 * What is sent need not be HTTP.
 */
export function sendRaw(url: string, bytes: string | Uint8Array, { silentAfterMs = 400 } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(silentAfterMs, () => socket.destroy());
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    // A server that resets the connection has answered, too.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });
}

/** The messages in the markdown files of llhttp's tests: lines end in CRLF, escapes stand for bytes. */
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
