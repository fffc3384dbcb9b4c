import { Agent, type Client, type Dispatcher } from 'undici';
import type { EgressGuard } from '../policy/guard.ts';
import { Connector, type ConnectorOptions, type ExitRoute } from './connector.ts';
import { ExitConnections } from './exit-connections.ts';

export interface PoolOptions extends ConnectorOptions {
  /** Maximum open sockets per origin; default 32. */
  readonly connectionsPerOrigin?: number;
  /** Number of open sockets above which idle ones are closed; default 512. */
  readonly maxIdleSockets?: number;
}

/** Carries one exchange, directly or through an exit. */
export interface Transport {
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Connections opened so far; unchanged by an exchange that reused a socket. */
  connectCount(): number;
  httpVersion(): '1.1' | '2';
  /** Ends the exchange. @returns its bytes through the exit, both directions */
  release(): number;
}

const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 64 * 1024;

const CONNECTION = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
  // One deadline covers the whole fetch, so undici's timers per phase would only cost CPU.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const satisfies Client.Options;

/** Keep-alive connections: direct ones per origin, others per exit and origin. */
export class ConnectionPool {
  readonly #connector: Connector;
  readonly #options: PoolOptions;
  readonly #connectCount = new Map<string, number>();
  readonly #exits: ExitConnections;
  #agent: Agent;
  #sockets = 0;

  constructor(guard: EgressGuard, options: PoolOptions) {
    this.#options = options;
    this.#connector = new Connector(guard, options);
    this.#exits = new ExitConnections(this.#connector, CONNECTION);
    this.#agent = this.#openAgent();
  }

  /** Returns the transport of one exchange with the origin, through the exit if given. */
  acquire(origin: URL, exit: ExitRoute | undefined): Transport {
    const httpVersion = () => this.#connector.httpVersion(origin);
    if (exit === undefined) {
      return {
        dispatch: (request, handler) => this.#dispatch(request, handler),
        connectCount: () => this.#connectCount.get(origin.origin) ?? 0,
        httpVersion,
        release: () => 0,
      };
    }
    const connection = this.#exits.acquire(exit, origin.origin);
    return {
      dispatch: (request, handler) => connection.dispatch(request, handler),
      connectCount: () => connection.connectCount,
      httpVersion,
      release: () => {
        const bytes = connection.takeBytes();
        this.#exits.release(connection);
        return bytes;
      },
    };
  }

  /** Closes every socket; pending requests fail as reset. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#exits.close()]);
  }

  #dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#sockets > (this.#options.maxIdleSockets ?? 512)) this.#rotate();
    this.#agent.dispatch(request, handler);
  }

  /** Replaces the agent. undici limits sockets per origin only, so a crawl of many hosts would accumulate idle ones. */
  #rotate(): void {
    const previous = this.#agent;
    this.#agent = this.#openAgent();
    this.#connectCount.clear();
    // Pending requests complete on the previous agent; a failure to close affects no request.
    previous.close().catch(() => {});
  }

  #openAgent(): Agent {
    const agent = new Agent({
      ...CONNECTION,
      connections: this.#options.connectionsPerOrigin ?? 32,
      connect: (target, callback) => this.#connector.connect(target, undefined, callback),
    });
    let openSockets = 0;
    agent.on('connect', (origin) => {
      openSockets += 1;
      if (agent === this.#agent) this.#sockets = openSockets;
      this.#connectCount.set(origin.origin, (this.#connectCount.get(origin.origin) ?? 0) + 1);
    });
    agent.on('disconnect', () => {
      openSockets -= 1;
      if (agent === this.#agent) this.#sockets = openSockets;
    });
    this.#sockets = 0;
    return agent;
  }
}
