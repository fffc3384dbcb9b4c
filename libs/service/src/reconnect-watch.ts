import type { NatsConnection } from '@nats-io/transport-node';

/** Difference allowed between the clocks of the server and of this machine, ms. */
const CLOCK_SKEW_MS = 1_000;

/** Watches when a connection was lost and made again: a server that was killed may have lost which messages were acknowledged. */
export class ReconnectWatch {
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(connection: Pick<NatsConnection, 'status'>) {
    void this.#watch(connection);
  }

  /** Whether a message was stored before the connection was last made again: it may have been delivered before, though not marked so. */
  isOlder(storedAt: Date): boolean {
    return storedAt.getTime() < this.#lastMs + CLOCK_SKEW_MS;
  }

  async #watch(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'reconnect') this.#lastMs = Date.now();
  }
}
