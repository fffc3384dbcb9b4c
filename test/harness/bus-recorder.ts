import { once } from 'node:events';
import { connect } from 'node:net';

export interface BusRecorder {
  /** Everything the server has sent: subjects and payloads. */
  readonly text: () => string;
  close(): void;
}

/** Subscribes to every subject of a NATS server and keeps what it receives (https://docs.nats.io/reference/reference-protocols/nats-protocol). */
export async function recordBus(url: string): Promise<BusRecorder> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: string[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    const text = chunk.toString('latin1');
    chunks.push(text);
    if (/(^|\r\n)PING\r\n/.test(text)) socket.write('PONG\r\n');
  });
  await once(socket, 'data');
  const credentials = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const options = { verbose: false, pedantic: false, lang: 'test', version: '1', ...credentials };
  socket.write(`CONNECT ${JSON.stringify(options)}\r\nSUB > 1\r\nPING\r\n`);
  while (!chunks.join('').includes('PONG\r\n')) await once(socket, 'data');
  return { text: () => chunks.join(''), close: () => void socket.destroy() };
}
