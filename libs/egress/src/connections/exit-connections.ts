import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Tunnel } from '../exits/tunnel.ts';
import type { Connector, ExitRoute } from './connector.ts';

/** Maximum idle connections over all exits; the oldest is closed first. */
const MAX_IDLE = 128;
/** Limits after which a connection is replaced, in bytes and ms; lower than the limits of a guarded proxy. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_AGE_MS = 5 * 60_000;

/**
 * Keep-alive connections per exit and origin. Each carries one exchange at a time, HTTP/2 included, so that every byte
 * billed by the exit is attributed to one page.
 */
export class ExitConnections {
  readonly #connector: Connector;
  readonly #clientOptions: Client.Options;
  readonly #idle = new Map<string, ExitConnection[]>();
  readonly #open = new Set<ExitConnection>();
  #idleCount = 0;

  constructor(connector: Connector, clientOptions: Client.Options) {
    this.#connector = connector;
    this.#clientOptions = clientOptions;
  }

  /** Returns a connection for exclusive use until it is released. */
  acquire(route: ExitRoute, origin: string): ExitConnection {
    const key = JSON.stringify([typeof route === 'string' ? route : [route.key], origin]);
    const idle = this.#idle.get(key)?.find(({ isIdle }) => isIdle);
    if (idle !== undefined) {
      this.#unlist(idle);
      idle.route = route;
      return idle;
    }
    const connection = new ExitConnection(key, this.#connector, this.#clientOptions, { route, origin });
    this.#open.add(connection);
    connection.onDisconnect(() => {
      if (this.#unlist(connection)) this.#drop(connection);
    });
    return connection;
  }

  release(connection: ExitConnection): void {
    if (!connection.isConnected || connection.isExpired) {
      this.#drop(connection);
      return;
    }
    const list = this.#idle.get(connection.key) ?? [];
    list.push(connection);
    this.#idle.set(connection.key, list);
    this.#idleCount += 1;
    const oldest = this.#idleCount > MAX_IDLE ? this.#idle.values().next().value?.[0] : undefined;
    if (oldest !== undefined && this.#unlist(oldest)) this.#drop(oldest);
  }

  /** Closes every connection; pending exchanges fail as reset. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((connection) => connection.destroy()));
  }

  #unlist(connection: ExitConnection): boolean {
    const list = this.#idle.get(connection.key);
    const at = list?.indexOf(connection) ?? -1;
    if (list === undefined || at < 0) return false;
    list.splice(at, 1);
    if (list.length === 0) this.#idle.delete(connection.key);
    this.#idleCount -= 1;
    return true;
  }

  #drop(connection: ExitConnection): void {
    this.#open.delete(connection);
    // The connection carries no exchange, so a failure to close affects none.
    connection.destroy().catch(() => {});
  }
}

/** One connection through an exit, with its byte count. */
export class ExitConnection {
  readonly key: string;
  /** How to connect. The credentials of a guarded proxy are those of the current caller. */
  route: ExitRoute;
  readonly #client: Client;
  readonly #wires = new Set<Socket>();
  readonly #openedAtMs = performance.now();
  #closedBytes = 0;
  #countedBytes = 0;
  connectCount = 0;

  constructor(
    key: string,
    connector: Connector,
    options: Client.Options,
    { route, origin }: { readonly route: ExitRoute; readonly origin: string },
  ) {
    this.key = key;
    this.route = route;
    const onTunnel = ({ wire, uncounted }: Tunnel) => {
      this.#wires.add(wire);
      this.#closedBytes += uncounted;
    };
    this.#client = new Client(origin, {
      ...options,
      connect: (target, callback) => connector.connect(target, { route: this.route, onTunnel }, callback),
    });
    this.#client.on('connect', () => {
      this.connectCount += 1;
    });
  }

  get isConnected(): boolean {
    return Boolean(this.#client.stats.connected);
  }

  /** Whether it has exceeded its byte or age limit. */
  get isExpired(): boolean {
    return this.#countedBytes > MAX_BYTES || performance.now() - this.#openedAtMs > MAX_AGE_MS;
  }

  /** Whether no exchange is on the wire; a response returned without its body may still be drained. */
  get isIdle(): boolean {
    return this.#client.stats.size === 0;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Returns the bytes through the exit, both directions, since the last call. */
  takeBytes(): number {
    let open = 0;
    for (const wire of this.#wires) {
      const bytes = wire.bytesRead + wire.bytesWritten;
      if (wire.destroyed) {
        this.#wires.delete(wire);
        this.#closedBytes += bytes;
      } else open += bytes;
    }
    const counted = this.#closedBytes + open;
    const since = counted - this.#countedBytes;
    this.#countedBytes = counted;
    return since;
  }

  onDisconnect(listener: () => void): void {
    this.#client.on('disconnect', listener);
  }

  destroy(): Promise<void> {
    return this.#client.destroy();
  }
}
