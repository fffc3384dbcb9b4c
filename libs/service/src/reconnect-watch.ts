import type { NatsConnection } from '@nats-io/transport-node';

/** Tolerated clock difference between the server and this machine, ms. */
const CLOCK_SKEW_MS = 1_000;

/** Records when the connection was last re-established. A killed server may have lost acknowledgements. */
export class ReconnectWatch {
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(connection: Pick<NatsConnection, 'status'>) {
    void this.#watch(connection);
  }

  /** Returns whether a message was stored before the last reconnect. Such a message may have been delivered before without being marked as redelivered. */
  isOlder(storedAt: Date): boolean {
    return storedAt.getTime() < this.#lastMs + CLOCK_SKEW_MS;
  }

  async #watch(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'reconnect') this.#lastMs = Date.now();
  }
}
