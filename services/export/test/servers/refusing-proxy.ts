import { createServer, request } from 'node:http';

/** A response in place of the server's. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** An HTTP proxy in front of a server that can answer writes itself, or forward to another server. */
export interface RefusingProxy {
  readonly port: number;
  /** Answers every PUT so; undefined: forwards them again. */
  refuseWrites(refusal: Refusal | undefined): void;
  forwardTo(port: number): void;
  close(): Promise<void>;
}

/** Starts a proxy that forwards requests with their headers, so that their signatures remain valid. */
export async function startRefusingProxy(target: number): Promise<RefusingProxy> {
  let port = target;
  let refusal: Refusal | undefined;
  const server = createServer((incoming, response) => {
    if (incoming.method === 'PUT' && refusal !== undefined) {
      const { status, body } = refusal;
      incoming.resume().on('end', () => response.writeHead(status, { 'content-type': 'application/xml' }).end(body));
      return;
    }
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (incomingResponse) => {
      response.writeHead(incomingResponse.statusCode ?? 502, incomingResponse.headers);
      incomingResponse.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    refuseWrites: (how) => {
      refusal = how;
    },
    forwardTo: (other) => {
      port = other;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
