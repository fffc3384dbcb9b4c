import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.ts';

/** Terminates TLS in front of a server with a certificate for localhost. */
export async function startTlsProxy(target: number) {
  /** Bytes that clients sent inside of TLS. */
  let received = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (client) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('data', (data) => {
      received += data.length;
      upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received: () => received,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
