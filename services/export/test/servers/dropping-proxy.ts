import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that closes connections: instead of passing on the response to a statement, or at once. */
export interface DroppingProxy {
  readonly port: number;
  /** Sets the text of the statement. */
  dropAfter(statement: string): void;
  /** Closes every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startDroppingProxy(target: number): Promise<DroppingProxy> {
  let text: string | undefined;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    const upstream = connect(target, '127.0.0.1');
    let isDropping = false;
    client.on('data', (data) => {
      if (text !== undefined && data.includes(text)) isDropping = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isDropping) client.destroy();
      else client.write(data);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.end());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    dropAfter: (statement) => {
      text = statement;
    },
    cut: () => {
      for (const client of clients) client.destroy();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
