import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createListener, type Server as Listener } from 'node:net';
import { page } from './responses.ts';
import { openSite, robotsOf } from './site.ts';

/**
 * The hosts of the test sites. Each has a separate loopback address, because robots.txt applies per host. 127.0.0.1 is
 * not among them: it stays internal, and captures of it are rejected.
 */
export const HOSTS = {
  /** Serves every path; its robots.txt returns 404. */
  open: '127.0.0.2',
  /** The same pages under a robots.txt that disallows /private and names a sitemap. */
  ruled: '127.0.0.3',
  /** The same pages under a robots.txt that returns 503. */
  failing: '127.0.0.4',
  /** Target of redirects. */
  other: '127.0.0.5',
  /** TLS with a self-signed certificate. */
  selfSigned: '127.0.0.6',
  /** Serves every path. Captures of it are held after its 429. */
  limiting: '127.0.0.7',
} as const;
export type Host = keyof typeof HOSTS;

/** Addresses that hostile sites may be served at, one per site, so that the pace of one host does not delay the requests to another. */
export const HOSTILE_ADDRESSES: readonly string[] = Array.from({ length: 24 }, (_, n) => `127.0.2.${n + 1}`);

/** Allow-list entries for captures of the test sites. */
export const EGRESS_ALLOW = [...Object.values(HOSTS), '127.0.2.0/24'].join(',');

/** One request that arrived. */
export interface Hit {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Web {
  /** Address of a path on one of the hosts. */
  url(path: string, host?: Host): string;
  /** Port of every hostile address; the pages are those of `open`. */
  readonly hostilePort: number;
  /** Requests that have arrived for a path (its query aside), on any host. */
  hits(path: string): readonly Hit[];
  /** Responds to every current and later request of `/gate/<name>`. */
  open(gate: string): void;
  close(): Promise<void>;
}

/** Context of a page handler. */
export interface Site {
  readonly host: Host;
  url(path: string, host?: Host): string;
  /** Resolves when the test opens the gate. */
  gate(name: string): Promise<void>;
}
export type Serve = (request: IncomingMessage, response: ServerResponse, site: Site) => void;

/** Starts the test sites on free ports. @param options.isHostile serves the pages of `open` at every hostile address too */
export async function startWeb({
  addresses = HOSTS,
  isHostile = false,
}: {
  addresses?: Readonly<Record<Host, string>>;
  isHostile?: boolean;
} = {}): Promise<Web> {
  const hits: Hit[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const servers = new Map<Host, Server>();
  const gateOf = (name: string): PromiseWithResolvers<void> => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  const url = (path: string, host: Host = 'open'): string => {
    const port = portOf(servers.get(host));
    return `${host === 'selfSigned' ? 'https' : 'http'}://${addresses[host]}:${port}${path}`;
  };

  const serverOf = (host: Host): Server => {
    const site: Site = { host, url, gate: (name) => gateOf(name).promise };
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      // What no parser takes for an address, such as `//](`, is a page that does not exist.
      const pathname = URL.parse(request.url ?? '/', 'http://web.test')?.pathname ?? '/nowhere';
      hits.push({ path: pathname, headers: request.headers });
      // A client that disconnects during a response is a test case, not an error of this server.
      response.on('error', () => undefined);
      const serve = pathname === '/robots.txt' ? robotsOf(host) : openSite(pathname);
      serve(request, response, site);
    };
    const pem = page('self-signed.pem');
    return host === 'selfSigned' ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener);
  };

  for (const host of Object.keys(addresses).filter((name): name is Host => name in HOSTS)) {
    const server = serverOf(host);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, addresses[host], resolve);
    });
    // A test that fails before it closes this server must not block the run.
    server.unref();
    servers.set(host, server);
  }

  const open = servers.get('open');
  const hostile = isHostile && open !== undefined ? await listenAtHostileAddresses(open) : [];

  return {
    url,
    hostilePort: hostile.map(portOf)[0] ?? 0,
    hits: (path) => hits.filter((hit) => hit.path === path),
    open: (gate) => gateOf(gate).resolve(),
    async close() {
      for (const gate of gates.values()) gate.resolve();
      await Promise.all(
        [...servers.values()].map((server) => {
          server.closeAllConnections();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        }),
      );
      for (const listener of hostile) listener.close();
    },
  };
}

/** Returns the port that a server listens on; 0 for none. */
function portOf(listener: Listener | undefined): number {
  const address = listener?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Passes the connections to every hostile address, at one port, to a server. */
async function listenAtHostileAddresses(server: Server): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (const address of HOSTILE_ADDRESSES) {
    const listener = createListener((socket) => server.emit('connection', socket));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(portOf(listeners[0]), address, resolve);
    });
    listener.unref();
    listeners.push(listener);
  }
  return listeners;
}
