import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  type AdmittedAddress,
  type dialThroughExit,
  type EgressGuard,
  EgressRefused,
  openProxied,
  toFetchFailed,
} from '@tidemark/egress';
import { ACCEPTED, authorityOf, type Destination, FAILED, readDestination } from './socks-handshake.ts';

const MAX_CONNECTIONS = 128;
const HANDSHAKE_DEADLINE_MS = 5_000;
const CONNECT_DEADLINE_MS = 15_000;
const IDLE_TIMEOUT_MS = 60_000;
const MAX_FAILURES = 1_000;

const REPORTED_KINDS = ['egress', 'exit', 'dns', 'timeout', 'reset'] as const;
/** Why a connection failed. */
type ConnectFailure = (typeof REPORTED_KINDS)[number] | 'refused';

/** Limits and connections of the egress proxies. */
export interface EgressOptions {
  readonly guard: EgressGuard;
  /** Connects to an admitted address through an exit of the operator. */
  readonly dialExit: typeof dialThroughExit;
  /** Limit of bytes that one page receives, all connections together. */
  readonly maxBytes: number;
}

/** Traffic of one render. */
export interface Traffic {
  readonly bytesReceived: number;
  readonly refusedRequests: number;
  /** Bytes through the exit, both directions. */
  readonly exitBytes: number;
  /** Whether the byte limit was exceeded and the connections were closed. */
  readonly isOverLimit: boolean;
}

/**
 * The only network path of one browser context: a SOCKS5 proxy on its own loopback port. Each connection goes to the address
 * that the egress guard admitted; Chromium resolves no names. A context serves one render at a time, so the traffic of the
 * proxy is the traffic of that render.
 */
export class EgressProxy {
  readonly #egress: EgressOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #failures = new Map<string, ConnectFailure>();
  #isOpen = false;
  #bytesReceived = 0;
  #bytesSent = 0;
  #refusedRequests = 0;
  #exitUrl = '';

  private constructor(egress: EgressOptions) {
    this.#egress = egress;
    this.#server = createServer({ noDelay: true, pauseOnConnect: false }, (client) => void this.#serve(client));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  static async listen(egress: EgressOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(egress);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the egress proxy is closed');
    return `socks5://127.0.0.1:${address.port}`;
  }

  /**
   * Opens the proxy for a render and resets its counters. Connections may outlive a render, so a proxy must always be used
   * with the same exit; empty: none.
   */
  beginRender(exitUrl: string): void {
    this.#isOpen = true;
    this.#exitUrl = exitUrl;
    this.#bytesReceived = 0;
    this.#bytesSent = 0;
    this.#refusedRequests = 0;
    this.#failures.clear();
  }

  /** Closes the proxy for the render. Connections that still receive data are destroyed. */
  endRender(): Traffic {
    this.#isOpen = false;
    return {
      bytesReceived: this.#bytesReceived,
      refusedRequests: this.#refusedRequests,
      exitBytes: this.#exitUrl === '' ? 0 : this.#bytesReceived + this.#bytesSent,
      isOverLimit: this.isOverLimit,
    };
  }

  get isOverLimit(): boolean {
    return this.#bytesReceived > this.#egress.maxBytes;
  }

  /** Returns why the last connection to the origin of this URL failed; undefined if it did not. */
  failureAt(url: URL): ConnectFailure | undefined {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    return this.#failures.get(authorityOf({ host: url.hostname, port }));
  }

  close(): void {
    this.#isOpen = false;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(client: Socket): Promise<void> {
    this.#track(client);
    client.setTimeout(HANDSHAKE_DEADLINE_MS);
    try {
      if (!this.#isOpen) throw new Error('no render is active');
      const destination = await readDestination(client);
      const upstream = await this.#connect(destination);
      if (client.destroyed || !this.#isOpen) return void upstream.destroy();
      client.setTimeout(IDLE_TIMEOUT_MS);
      client.write(ACCEPTED);
      this.#pipe(client, upstream);
    } catch {
      if (!client.destroyed) client.end(FAILED);
    }
  }

  async #connect(destination: Destination): Promise<Socket> {
    const authority = authorityOf(destination);
    try {
      const admitted = await this.#egress.guard.admit(destination.host, destination.port);
      const socket = await this.#dial(admitted, destination.port);
      this.#failures.delete(authority);
      return this.#track(socket);
    } catch (error) {
      if (error instanceof EgressRefused) this.#refusedRequests += 1;
      const failure = toFetchFailed(error);
      if (this.#failures.size < MAX_FAILURES) this.#failures.set(authority, toConnectFailure(failure));
      throw failure;
    }
  }

  #dial({ address, family, proxy }: AdmittedAddress, port: number): Promise<Socket> {
    if (this.#exitUrl === '' && proxy !== undefined)
      return openProxied(proxy, port, { timeoutMs: CONNECT_DEADLINE_MS });
    if (this.#exitUrl === '') return dial(address, family, port);
    return this.#egress.dialExit(this.#exitUrl, { address, port }, { timeoutMs: CONNECT_DEADLINE_MS });
  }

  #pipe(client: Socket, upstream: Socket): void {
    upstream.setTimeout(IDLE_TIMEOUT_MS);
    upstream.on('data', (chunk: Buffer) => {
      this.#bytesReceived += chunk.length;
      if (!this.#isOpen) upstream.destroy();
      else if (this.isOverLimit) for (const socket of this.#sockets) socket.destroy();
    });
    client.on('data', (chunk: Buffer) => {
      this.#bytesSent += chunk.length;
    });
    upstream.pipe(client);
    client.pipe(upstream);
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    // The 'close' event follows and destroys the other half.
    socket.on('error', () => undefined);
    socket.once('timeout', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

function toConnectFailure(failure: Error & { kind?: unknown }): ConnectFailure {
  return REPORTED_KINDS.find((kind) => kind === failure.kind) ?? 'refused';
}

function dial(host: string, family: 4 | 6, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, family, port, noDelay: true });
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' }));
    }, CONNECT_DEADLINE_MS);
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(timer));
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
