import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connector, ExitRoute } from './connector.ts';
import type { Tunnel } from './exit-dialer.ts';

/** Idle connections through exits kept at once, over all of them; the oldest go first. */
const MAX_IDLE = 128;
/** A connection is replaced after this many bytes or milliseconds, well before a guarded proxy would cut it. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_AGE_MS = 5 * 60_000;

/**
 * Keep-alive connections by exit and origin. Each carries one exchange at a time, over HTTP/2 too, so that every byte
 * the exit bills belongs to one page.
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

  /** Returns a connection for the caller alone, until it is given back. */
  take(route: ExitRoute, origin: string): ExitConnection {
    const key = JSON.stringify([typeof route === 'string' ? route : [route.key], origin]);
    const ready = this.#idle.get(key)?.find(({ isQuiet }) => isQuiet);
    if (ready !== undefined) {
      this.#unlist(ready);
      ready.route = route;
      return ready;
    }
    const connection = new ExitConnection(key, this.#connector, this.#clientOptions, { route, origin });
    this.#open.add(connection);
    connection.onDisconnect(() => {
      if (this.#unlist(connection)) this.#drop(connection);
    });
    return connection;
  }

  giveBack(connection: ExitConnection): void {
    if (!connection.isConnected || connection.isWorn) {
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

  /** Closes all of them; exchanges under way fail as reset. */
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
    // Nothing waits on it; a failure to close concerns no exchange.
    connection.destroy().catch(() => {});
  }
}

/** One connection through an exit, and the count of its bytes. */
export class ExitConnection {
  readonly key: string;
  /** How to connect; credentials of a guarded proxy are those of the current caller. */
  route: ExitRoute;
  readonly #client: Client;
  readonly #wires = new Set<Socket>();
  readonly #openedAtMs = performance.now();
  #closedBytes = 0;
  #countedBytes = 0;
  connects = 0;

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
      this.connects += 1;
    });
  }

  get isConnected(): boolean {
    return Boolean(this.#client.stats.connected);
  }

  /** Whether it has carried enough to be replaced. */
  get isWorn(): boolean {
    return this.#countedBytes > MAX_BYTES || performance.now() - this.#openedAtMs > MAX_AGE_MS;
  }

  /** Whether the last exchange has left the wire; one without its body may still be read to its end. */
  get isQuiet(): boolean {
    return this.#client.stats.size === 0;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Returns the bytes that went through the exit, both ways, since the last call. */
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
