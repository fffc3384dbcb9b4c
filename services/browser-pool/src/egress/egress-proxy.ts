import { connect, createServer, type Server, type Socket } from 'node:net';
import { type dialThroughExit, type EgressGuard, EgressRefused, toFetchFailed } from '@tidemark/egress';
import { ACCEPTED, authorityOf, type Destination, FAILED, readDestination } from './socks.ts';

const CONNECTIONS_MAX = 128;
const HANDSHAKE_DEADLINE_MS = 5_000;
const CONNECT_DEADLINE_MS = 15_000;
const SILENCE_MAX_MS = 60_000;
const FAULTS_MAX = 1_000;

const REPORTED = ['egress', 'exit', 'dns', 'timeout', 'reset'] as const;
/** Why a connection could not be made. */
type Fault = (typeof REPORTED)[number] | 'refused';

/** What a page may reach, and how much it may bring. */
export interface Egress {
  readonly guard: EgressGuard;
  /** Connects to an admitted address through an exit of the operator. */
  readonly dialExit: typeof dialThroughExit;
  /** Bytes one page may receive over the network, everything counted. */
  readonly bytesMax: number;
}

/** What passed through an egress proxy during one render. */
export interface Traffic {
  readonly bytesReceived: number;
  readonly refusedRequests: number;
  /** Bytes that went through the exit, both ways. */
  readonly exitBytes: number;
  /** More arrived than a page may bring; the connections were closed. */
  readonly isOverLimit: boolean;
}

/**
 * The only way out of one browser context: a SOCKS5 proxy on a loopback port of its own. Each connection goes to the
 * address the egress guard admitted and nowhere else; Chromium resolves no names itself. Because a context serves one
 * render at a time, what passes here is exactly that render's traffic.
 */
export class EgressProxy {
  readonly #egress: Egress;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #faults = new Map<string, Fault>();
  #isOpen = false;
  #bytesReceived = 0;
  #bytesSent = 0;
  #refusedRequests = 0;
  #exitUrl = '';

  private constructor(egress: Egress) {
    this.#egress = egress;
    this.#server = createServer({ noDelay: true, pauseOnConnect: false }, (client) => void this.#serve(client));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  static async listen(egress: Egress): Promise<EgressProxy> {
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
   * Opens the proxy for a render and clears the counts of the one before. Connections may be kept from render to render,
   * so a proxy has the same exit, or none (empty), all its life.
   */
  begin(exitUrl: string): void {
    this.#isOpen = true;
    this.#exitUrl = exitUrl;
    this.#bytesReceived = 0;
    this.#bytesSent = 0;
    this.#refusedRequests = 0;
    this.#faults.clear();
  }

  /** Closes the proxy to the page: what still arrives belongs to a page that is gone, and its connection is dropped. */
  end(): Traffic {
    this.#isOpen = false;
    return {
      bytesReceived: this.#bytesReceived,
      refusedRequests: this.#refusedRequests,
      exitBytes: this.#exitUrl === '' ? 0 : this.#bytesReceived + this.#bytesSent,
      isOverLimit: this.isOverLimit,
    };
  }

  get isOverLimit(): boolean {
    return this.#bytesReceived > this.#egress.bytesMax;
  }

  /** Why the last connection to the origin of this URL failed, where one did. */
  faultAt(url: URL): Fault | undefined {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    return this.#faults.get(authorityOf({ host: url.hostname, port }));
  }

  close(): void {
    this.#isOpen = false;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(client: Socket): Promise<void> {
    this.#hold(client);
    client.setTimeout(HANDSHAKE_DEADLINE_MS);
    try {
      if (!this.#isOpen) throw new Error('no render is under way');
      const destination = await readDestination(client);
      const upstream = await this.#connect(destination);
      if (client.destroyed || !this.#isOpen) return void upstream.destroy();
      client.setTimeout(SILENCE_MAX_MS);
      client.write(ACCEPTED);
      this.#join(client, upstream);
    } catch {
      if (!client.destroyed) client.end(FAILED);
    }
  }

  async #connect(destination: Destination): Promise<Socket> {
    const authority = authorityOf(destination);
    try {
      const { address, family } = await this.#egress.guard.admit(destination.host, destination.port);
      const socket = await this.#dial(address, family, destination.port);
      this.#faults.delete(authority);
      return this.#hold(socket);
    } catch (error) {
      if (error instanceof EgressRefused) this.#refusedRequests += 1;
      const failure = toFetchFailed(error);
      if (this.#faults.size < FAULTS_MAX) this.#faults.set(authority, faultOf(failure));
      throw failure;
    }
  }

  #dial(address: string, family: 4 | 6, port: number): Promise<Socket> {
    if (this.#exitUrl === '') return dial(address, family, port);
    return this.#egress.dialExit(this.#exitUrl, { address, port }, { timeoutMs: CONNECT_DEADLINE_MS });
  }

  #join(client: Socket, upstream: Socket): void {
    upstream.setTimeout(SILENCE_MAX_MS);
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

  #hold(socket: Socket): Socket {
    this.#sockets.add(socket);
    // A broken connection is the page's affair; 'close' follows and ends its other half.
    socket.on('error', () => undefined);
    socket.once('timeout', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

function faultOf(failure: Error & { kind?: unknown }): Fault {
  return REPORTED.find((kind) => kind === failure.kind) ?? 'refused';
}

function dial(host: string, family: 4 | 6, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, family, port, noDelay: true });
    const late = setTimeout(() => {
      socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    }, CONNECT_DEADLINE_MS);
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(late));
    socket.once('connect', () => {
      clearTimeout(late);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
