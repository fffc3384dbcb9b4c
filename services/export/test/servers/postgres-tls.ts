import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.ts';

/** SSLRequest (PostgreSQL documentation, Message Formats): its length and the code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Terminates TLS in front of a PostgreSQL server with a certificate for localhost. `plain`: answers that it has no TLS. */
export async function startPostgresTls(target: number, { plain = false } = {}) {
  const context = createSecureContext({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE });
  const sockets = new Set<Socket>();
  /** What clients sent inside of TLS, or without it. */
  const received: Buffer[] = [];
  const forward = (client: Socket): void => {
    const upstream = connect(target, '127.0.0.1');
    sockets.add(upstream);
    client.on('data', (data) => {
      received.push(data);
      upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  };
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.once('data', (data) => {
      if (!data.equals(SSL_REQUEST)) {
        received.push(data);
        return void client.destroy();
      }
      client.write(plain ? 'N' : 'S');
      if (plain) forward(client);
      else forward(new TLSSocket(client, { isServer: true, secureContext: context }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    received,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
