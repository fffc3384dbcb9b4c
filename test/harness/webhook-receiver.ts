import { createServer, type IncomingHttpHeaders } from 'node:http';

/** A received message. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes that were signed. */
  readonly raw: string;
}

/** A web server that receives messages. */
export interface WebhookReceiver {
  readonly origin: string;
  readonly received: readonly Received[];
  close(): void;
}

/** Starts a receiver that responds to every message with 204. */
export async function startReceiver(address: string): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    received.push({ path: request.url ?? '', headers: request.headers, raw: Buffer.concat(pieces).toString('utf8') });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  return {
    origin: `http://${address}:${typeof bound === 'object' ? bound?.port : ''}`,
    received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
