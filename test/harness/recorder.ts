import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Starts an internal server on 127.0.0.1 that counts connections: the product must make none. */
export async function startRecorder() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.end(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 29\r\nConnection: close\r\n\r\n<p>an internal secret, read.\n',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, close: () => void server.close() };
}
