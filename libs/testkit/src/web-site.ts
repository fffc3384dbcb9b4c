import { createServer, type IncomingMessage, type RequestListener } from 'node:http';

/** Address of test sites. 127.0.0.1 stays internal in every test; this one is reached through an allow-list entry. */
export const SITE_ADDRESS = '127.0.0.2';

/** A web site on a loopback address. */
export interface WebSite {
  readonly origin: string;
  /** `host:port`, as an allow-list names it. */
  readonly host: string;
  /** Requests received so far. */
  readonly seen: readonly IncomingMessage[];
  /** Returns the number of requests for a path. */
  requestCount(path: string): number;
  close(): Promise<void>;
}

export async function startWebSite(listener: RequestListener): Promise<WebSite> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, SITE_ADDRESS, resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the site has no port');
  const host = `${SITE_ADDRESS}:${bound.port}`;
  return {
    origin: `http://${host}`,
    host,
    seen,
    requestCount: (path) => seen.filter((request) => request.url === path).length,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
