import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type EgressGuard,
  EXIT_BYTES_HEADER,
  FetchFailed,
  formatProxyStatus,
  type openTunnel,
  type Tunnel,
  toFetchFailed,
} from '@tidemark/egress';
import { type Logger, parseListen } from '@tidemark/service';
import type { ExitLeases } from './exit-leases.ts';
import type { Exit } from './exit-list.ts';

const PROXY_NAME = 'tidemark';
const MAX_TUNNELS_PER_LEASE = 16;
/** Limit of one tunnel, both directions, bytes. Clients replace tunnels at half of it. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_AGE_MS = 15 * 60_000;
const MAX_SILENCE_MS = 60_000;
/** Less than the 10 s timeout of clients, so that they receive the reason. */
const DIAL_MS = 9_000;
const HEAD_MS = 5_000;
const MAX_HEAD_BYTES = 8 * 1024;

export interface ConnectEndpointDeps {
  readonly guard: EgressGuard;
  readonly openTunnel: typeof openTunnel;
  readonly leases: Pick<ExitLeases, 'verify'>;
  readonly exits: { named(name: string): Exit | undefined };
  /** Maximum open tunnels. */
  readonly maxTunnels: number;
  readonly log: Logger;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** A refused CONNECT request, as an HTTP response. */
class ConnectRefusal extends Error {
  readonly status: string;
  readonly header: string;

  constructor(status: string, header: string) {
    super(status);
    this.status = status;
    this.header = header;
  }
}

/**
 * The CONNECT endpoint (RFC 9110 section 9.3.6) through which scrape reaches sites by an exit. Each connection needs the
 * token of a lease. The target is resolved and checked by the egress guard, and the exit connects to the checked address.
 * TLS is between the client and the site.
 */
export class ConnectEndpoint {
  readonly #deps: ConnectEndpointDeps;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #openByLease = new Map<string, number>();
  #open = 0;

  private constructor(deps: ConnectEndpointDeps) {
    this.#deps = deps;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEAD_BYTES,
        headersTimeout: HEAD_MS,
        requestTimeout: HEAD_MS,
        connectionsCheckingInterval: HEAD_MS,
        noDelay: true,
      },
      (_request, response) => void response.writeHead(405, { allow: 'CONNECT', connection: 'close' }).end(),
    );
    // Refused requests need connections in addition to the tunnels.
    this.#server.maxConnections = deps.maxTunnels * 2;
    this.#server.on('connect', (request, socket, head) => void this.#serve(request, socket, head));
  }

  /** @param listen host:port */
  static async listen(listen: string, deps: ConnectEndpointDeps): Promise<ConnectEndpoint> {
    const endpoint = new ConnectEndpoint(deps);
    const { host, port } = parseListen(listen);
    await new Promise<void>((resolve, reject) => {
      endpoint.#server.once('error', reject).listen(port, host, resolve);
    });
    return endpoint;
  }

  get port(): number {
    const bound: AddressInfo | string | null = this.#server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the endpoint is closed');
    return bound.port;
  }

  /** Closes every tunnel. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const disconnected = new AbortController();
    client.on('error', () => disconnected.abort()).once('close', () => disconnected.abort());
    this.#sockets.add(client);
    client.once('close', () => this.#sockets.delete(client));
    const credentials = credentialsOf(request);
    const release = this.#reserve(credentials.id);
    client.once('close', release);
    try {
      if (this.#open > this.#deps.maxTunnels || (this.#openByLease.get(credentials.id) ?? 0) > MAX_TUNNELS_PER_LEASE) {
        throw new ConnectRefusal(
          '503 Service Unavailable',
          `Proxy-Status: ${PROXY_NAME}; error=connection_limit_reached`,
        );
      }
      const tunnel = await this.#connect(request.url ?? '', credentials, disconnected.signal);
      if (disconnected.signal.aborted) return void tunnel.socket.destroy();
      if (head.length > 0) client.unshift(head);
      const { bytesRead, bytesWritten } = tunnel.wire;
      client.write(`HTTP/1.1 200 OK\r\n${EXIT_BYTES_HEADER}: ${bytesRead + bytesWritten}\r\n\r\n`);
      this.#relay(client, tunnel.socket);
    } catch (error) {
      if (!client.destroyed) client.end(responseTo(error));
    }
  }

  async #connect(authority: string, { id, token }: Credentials, signal: AbortSignal): Promise<Tunnel> {
    const lease = await this.#deps.leases.verify(id, token);
    const exit = lease === undefined ? undefined : this.#deps.exits.named(lease.exit);
    if (lease === undefined || exit === undefined) {
      this.#deps.log.info(
        { lease: lease === undefined ? 'invalid' : 'valid' },
        'CONNECT refused: no such lease or exit',
      );
      throw new ConnectRefusal('407 Proxy Authentication Required', `Proxy-Authenticate: Basic realm="${PROXY_NAME}"`);
    }
    const target = targetOf(authority);
    if (target === undefined) throw new ConnectRefusal('400 Bad Request', `Proxy-Status: ${PROXY_NAME}`);
    const { address } = await this.#deps.guard.admit(target.host, target.port);
    return this.#deps.openTunnel(exit.url, { address, port: target.port }, { timeoutMs: DIAL_MS, signal });
  }

  /** Counts an open tunnel. @returns a function that ends the count */
  #reserve(leaseId: string): () => void {
    this.#open += 1;
    this.#openByLease.set(leaseId, (this.#openByLease.get(leaseId) ?? 0) + 1);
    return () => {
      this.#open -= 1;
      const remaining = (this.#openByLease.get(leaseId) ?? 1) - 1;
      if (remaining > 0) this.#openByLease.set(leaseId, remaining);
      else this.#openByLease.delete(leaseId);
    };
  }

  #relay(client: Duplex, upstream: Socket): void {
    this.#sockets.add(upstream);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    const timer = setTimeout(end, MAX_AGE_MS).unref();
    upstream.setTimeout(MAX_SILENCE_MS, end);
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) end();
    };
    client.on('data', count);
    upstream.on('data', count).on('error', end);
    client.pipe(upstream).pipe(client);
    upstream.once('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(upstream);
      client.destroy();
    });
    client.once('close', () => upstream.destroy());
  }
}

interface Credentials {
  readonly id: string;
  readonly token: string;
}

function credentialsOf({ headers }: IncomingMessage): Credentials {
  const [, pair = ''] = /^Basic ([\w+/=]+)$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
  const [id = '', token = ''] = Buffer.from(pair, 'base64').toString('latin1').split(':', 2);
  return { id, token };
}

function targetOf(authority: string): Target | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^[\]:/@\s]+)):(\d{1,5})$/i.exec(authority);
  if (match === null) return undefined;
  const [, ipv6, name, port] = match;
  if (ipv6 !== undefined && !isIPv6(ipv6)) return undefined;
  return { host: ipv6 ?? name ?? '', port: Number(port) };
}

/** The response states only the kind of failure and its fixed message. */
function responseTo(error: unknown): string {
  const end = 'Content-Length: 0\r\nConnection: close\r\n\r\n';
  if (error instanceof ConnectRefusal) return `HTTP/1.1 ${error.status}\r\n${error.header}\r\n${end}`;
  const failure = toFetchFailed(error);
  const reported = failure instanceof FetchFailed ? failure : new FetchFailed('exit');
  const status = reported.kind === 'timeout' ? '504 Gateway Timeout' : '502 Bad Gateway';
  return `HTTP/1.1 ${status}\r\nProxy-Status: ${formatProxyStatus(PROXY_NAME, reported)}\r\n${end}`;
}
