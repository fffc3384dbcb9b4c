import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that stops forwarding both directions at a text of the client, without closing: as a network that loses every packet. */
export async function startStallingProxy(target: number, text: string) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isStalled = false;
    client.on('data', (data) => {
      isStalled ||= data.includes(text);
      if (isStalled) client.pause();
      else upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isStalled) client.write(data);
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
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
