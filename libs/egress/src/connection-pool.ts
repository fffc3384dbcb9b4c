import { Agent, buildConnector, type Dispatcher } from 'undici';
import { asError } from './errors.ts';
import type { EgressGuard } from './guard.ts';

/** Opens one socket to an address already admitted; undici's own connector unless a test records instead. */
export type Dial = buildConnector.connector;

export interface PoolOptions {
  /** Sockets open at once to one origin; default 32. */
  readonly connectionsPerOrigin?: number;
  /** Past this many open sockets the idle ones are let go; default 512. */
  readonly maxIdleSockets?: number;
  /** PEM certificates trusted beside node's own list. */
  readonly ca?: string;
  readonly dial?: Dial;
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Keep-alive HTTP/1.1 connections, each to an address the guard admitted at the moment of connecting. The host name is
 * kept for SNI, certificate checks and the Host header; only the address dialled is replaced.
 */
export class ConnectionPool {
  readonly #guard: EgressGuard;
  readonly #dial: Dial;
  readonly #options: PoolOptions;
  readonly #connects = new Map<string, number>();
  #agent: Agent;
  #sockets = 0;

  constructor(guard: EgressGuard, options: PoolOptions) {
    this.#guard = guard;
    this.#options = options;
    this.#dial =
      options.dial ??
      buildConnector({
        allowH2: false,
        timeout: CONNECT_TIMEOUT_MS,
        autoSelectFamily: false,
        rejectUnauthorized: true,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      });
    this.#agent = this.#openAgent();
  }

  /** Sends one request on an idle or new connection; everything that follows reaches the handler. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#sockets > (this.#options.maxIdleSockets ?? 512)) this.#rotate();
    this.#agent.dispatch(request, handler);
  }

  /** How many connections to the origin have been made; unchanged between two calls means a socket was reused. */
  connectsTo(origin: string): number {
    return this.#connects.get(origin) ?? 0;
  }

  /** Closes every socket; requests under way fail as reset. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** undici bounds sockets per origin only; a fresh agent bounds them over a crawl of a thousand hosts. */
  #rotate(): void {
    const old = this.#agent;
    this.#agent = this.#openAgent();
    this.#connects.clear();
    // Requests under way finish on the old agent; a failure to close concerns no request.
    old.close().catch(() => {});
  }

  #openAgent(): Agent {
    const agent = new Agent({
      allowH2: false,
      connections: this.#options.connectionsPerOrigin ?? 32,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // One wall budget covers the whole fetch, so undici's per-phase timers would only cost CPU.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, callback) => this.#connect(target, callback),
    });
    let own = 0;
    agent.on('connect', (origin) => {
      own += 1;
      if (agent === this.#agent) this.#sockets = own;
      const key = origin.origin;
      this.#connects.set(key, this.connectsTo(key) + 1);
    });
    agent.on('disconnect', () => {
      own -= 1;
      if (agent === this.#agent) this.#sockets = own;
    });
    this.#sockets = 0;
    return agent;
  }

  #connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const port = target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port);
    this.#guard.admit(target.hostname, port).then(
      ({ address }) => this.#dial({ ...target, hostname: address, port: String(port) }, callback),
      (error: unknown) => callback(asError(error), null),
    );
  }
}
