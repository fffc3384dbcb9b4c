import type pg from 'pg';
import type { GatewayEvent } from '../port/gateway.ts';

/** A stored message with the number of attempts to process it. */
export interface StoredMessage extends GatewayEvent {
  readonly attempts: number;
}

/** Minutes until a message whose object is unknown is tried again, by the attempts so far; after the last it is given up. */
const RETRY_MINUTES = [1, 5, 15, 60, 240, 720, 1_440];
/** A claimed message is free again after this time, if its process ended. */
const CLAIM_SECONDS = 60;

/** Stores messages of one gateway: stored before the gateway is answered, then processed. */
export class MessageStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Stores a message once. */
  async insert({ id, type, orderId, subscriptionId, paymentId }: GatewayEvent): Promise<void> {
    await this.#pool.query(
      `INSERT INTO gateway_messages (gateway, id, type, order_id, subscription_id, payment_id) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [this.#gateway, id, type, orderId, subscriptionId, paymentId],
    );
  }

  /** Claims messages that are due. A process that ends leaves them due again after a minute. */
  async claim(limit: number): Promise<StoredMessage[]> {
    const { rows } = await this.#pool.query<StoredMessage>(
      `UPDATE gateway_messages m SET attempts = m.attempts + 1, next_at = now() + make_interval(secs => ${CLAIM_SECONDS})
       FROM (SELECT id FROM gateway_messages WHERE gateway = $1 AND state = 'new' AND next_at <= now() ORDER BY next_at LIMIT $2 FOR UPDATE SKIP LOCKED) due
       WHERE m.gateway = $1 AND m.id = due.id
       RETURNING m.id, m.type, m.order_id AS "orderId", m.subscription_id AS "subscriptionId", m.payment_id AS "paymentId", m.attempts`,
      [this.#gateway, limit],
    );
    return rows;
  }

  done(id: string): Promise<void> {
    return this.#setState(id, 'done');
  }

  /** Keeps a message for a later attempt. @returns false if it was the last one */
  async retry({ id, attempts }: StoredMessage): Promise<boolean> {
    const minutes = RETRY_MINUTES[attempts - 1];
    if (minutes === undefined) {
      await this.#setState(id, 'dropped');
      return false;
    }
    await this.#pool.query(
      'UPDATE gateway_messages SET next_at = now() + make_interval(mins => $3) WHERE gateway = $1 AND id = $2',
      [this.#gateway, id, minutes],
    );
    return true;
  }

  async #setState(id: string, state: 'done' | 'dropped'): Promise<void> {
    await this.#pool.query('UPDATE gateway_messages SET state = $3 WHERE gateway = $1 AND id = $2', [
      this.#gateway,
      id,
      state,
    ]);
  }
}
