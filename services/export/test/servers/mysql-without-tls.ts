import { connect, createServer, type Socket } from 'node:net';

/** CLIENT_SSL of the lower two bytes of the capabilities (MySQL documentation, Protocol::HandshakeV10). */
const CLIENT_SSL = 0x0800;
/** Bytes behind the version: thread id, salt, filler. */
const BEFORE_CAPABILITIES = 4 + 8 + 1;

/** A proxy of a MySQL server that removes TLS from the capabilities that the server announces. */
export async function startMysqlWithoutTls(target: number) {
  let received = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    upstream.once('data', (greeting) => {
      const at = greeting.indexOf(0, 5) + 1 + BEFORE_CAPABILITIES;
      greeting.writeUInt16LE(greeting.readUInt16LE(at) & ~CLIENT_SSL, at);
      client.write(greeting);
      upstream.on('data', (data) => client.write(data));
    });
    client.on('data', (data) => {
      received += data.length;
      upstream.write(data);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Bytes that clients sent. */
    received: () => received,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
