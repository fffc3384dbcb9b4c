import { Agent, type Client, type Dispatcher } from 'undici';
import { Connector, type ConnectorOptions, type ExitRoute } from './connector.ts';
import { ExitConnections } from './exit-connections.ts';
import type { EgressGuard } from './guard.ts';

export interface PoolOptions extends ConnectorOptions {
  /** Sockets open at once to one origin; default 32. */
  readonly connectionsPerOrigin?: number;
  /** Past this many open sockets the idle ones are let go; default 512. */
  readonly maxIdleSockets?: number;
}

/** The way one exchange takes. */
export interface Lane {
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** How many connections this way has opened; unchanged over an exchange means that a socket was reused. */
  connects(): number;
  httpVersion(): '1.1' | '2';
  /** Ends the exchange; answers the bytes that went through the exit for it. */
  leave(): number;
}

const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 64 * 1024;

const CONNECTION = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
  // One wall budget covers the whole fetch, so undici's per-phase timers would only cost CPU.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const satisfies Client.Options;

/** Keep-alive connections, direct ones by origin, others by exit and origin. */
export class ConnectionPool {
  readonly #connector: Connector;
  readonly #options: PoolOptions;
  readonly #connects = new Map<string, number>();
  readonly #exits: ExitConnections;
  #agent: Agent;
  #sockets = 0;

  constructor(guard: EgressGuard, options: PoolOptions) {
    this.#options = options;
    this.#connector = new Connector(guard, options);
    this.#exits = new ExitConnections(this.#connector, CONNECTION);
    this.#agent = this.#openAgent();
  }

  /** The way of one exchange with the origin, through the exit where one is named. */
  lane(origin: URL, exit: ExitRoute | undefined): Lane {
    const httpVersion = () => this.#connector.httpVersion(origin);
    if (exit === undefined) {
      return {
        dispatch: (request, handler) => this.#dispatch(request, handler),
        connects: () => this.#connects.get(origin.origin) ?? 0,
        httpVersion,
        leave: () => 0,
      };
    }
    const connection = this.#exits.take(exit, origin.origin);
    return {
      dispatch: (request, handler) => connection.dispatch(request, handler),
      connects: () => connection.connects,
      httpVersion,
      leave: () => {
        const bytes = connection.takeBytes();
        this.#exits.giveBack(connection);
        return bytes;
      },
    };
  }

  /** Closes every socket; requests under way fail as reset. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#exits.close()]);
  }

  #dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#sockets > (this.#options.maxIdleSockets ?? 512)) this.#rotate();
    this.#agent.dispatch(request, handler);
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
      ...CONNECTION,
      connections: this.#options.connectionsPerOrigin ?? 32,
      connect: (target, callback) => this.#connector.connect(target, undefined, callback),
    });
    let own = 0;
    agent.on('connect', (origin) => {
      own += 1;
      if (agent === this.#agent) this.#sockets = own;
      this.#connects.set(origin.origin, (this.#connects.get(origin.origin) ?? 0) + 1);
    });
    agent.on('disconnect', () => {
      own -= 1;
      if (agent === this.#agent) this.#sockets = own;
    });
    this.#sockets = 0;
    return agent;
  }
}
