import { randomUUID } from 'node:crypto';
import { ATTEMPT_POLICIES, afterFailure, fencedBy, LeasedQueue, param, returning, sql } from '@tidemark/leased-work';
import type pg from 'pg';
import type { GatewayEvent } from '../port/gateway.ts';

/** A stored message that this process has claimed. */
export interface StoredMessage extends GatewayEvent {
  readonly attempts: number;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
}

/** A message whose object is unknown is tried again for two days. */
const QUEUE = new LeasedQueue({
  name: 'gateway-messages',
  table: 'gateway_messages',
  key: ['gateway', 'id'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interruptions',
  leaseSeconds: 60,
  policy: ATTEMPT_POLICIES['billing.gateway_messages'],
  isOpen: sql`state = 'new'`,
  mayBeClaimed: sql`gateway = ${param('gateway')}`,
  returning: returning<StoredMessage>(
    'id, type, order_id AS "orderId", subscription_id AS "subscriptionId", payment_id AS "paymentId", attempts, interruptions',
  ),
});
const END = QUEUE.update('end-gateway-message', sql`state = ${param('state')}, owner = NULL`);
const RETRY = QUEUE.retry('retry-gateway-message');

/** Stores messages of one gateway: stored before the gateway is answered, then processed. */
export class MessageStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;
  /** Fencing token of this process. */
  readonly #owner = randomUUID();

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

  /** Claims messages that are due. */
  claim(limit: number): Promise<StoredMessage[]> {
    return QUEUE.claim(this.#pool, { owner: this.#owner, limit, gateway: this.#gateway });
  }

  done(id: string): Promise<boolean> {
    return this.#end(id, 'done');
  }

  drop(id: string): Promise<boolean> {
    return this.#end(id, 'dropped');
  }

  /** Keeps a message for a later attempt. @returns false if it was the last one */
  async retry({ id, attempts }: StoredMessage): Promise<boolean> {
    const after = afterFailure(QUEUE.policy, attempts);
    if (after.next === 'give_up') {
      await this.drop(id);
      return false;
    }
    await RETRY.changes(this.#pool, { gateway: this.#gateway, id, owner: this.#owner, seconds: after.inSeconds });
    return true;
  }

  #end(id: string, state: 'done' | 'dropped'): Promise<boolean> {
    return END.changes(this.#pool, { gateway: this.#gateway, id, owner: this.#owner, state });
  }
}
