import { randomUUID } from 'node:crypto';
import { ATTEMPT_POLICIES, afterFailure, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { changeRows, column, type Params, type RowOf, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../../store/tables.ts';
import type { GatewayEvent } from '../port/gateway.ts';

const COLUMNS = {
  id: column('text'),
  type: column('text'),
  orderId: column('text'),
  subscriptionId: column('text'),
  paymentId: column('text'),
  attempts: column('int4'),
  /** Attempts in a row that were interrupted. */
  interruptions: column('int4'),
};

/** A stored message that this process has claimed. */
export type StoredMessage = RowOf<typeof COLUMNS>;

/** A message whose object is unknown is tried again for two days. */
const QUEUE = new LeasedQueue({
  schema,
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
  mayBeClaimed: ({ gateway }: Params<{ readonly gateway: string }>) => sql`gateway = ${gateway}`,
  columns: COLUMNS,
  returning: sql`id, type, order_id AS "orderId", subscription_id AS "subscriptionId", payment_id AS "paymentId", attempts, interruptions`,
});
const END = QUEUE.update(
  'end-gateway-message',
  ({ state }: Params<{ readonly state: 'done' | 'dropped' }>) => sql`state = ${state}, owner = NULL`,
);
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
    await changeRows(
      this.#pool,
      tables
        .insertInto('gateway_messages')
        .values({
          gateway: this.#gateway,
          id,
          type,
          order_id: orderId,
          subscription_id: subscriptionId,
          payment_id: paymentId,
        })
        .onConflict((conflict) => conflict.doNothing()),
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
    await RETRY.changesRow(this.#pool, { gateway: this.#gateway, id, owner: this.#owner, seconds: after.inSeconds });
    return true;
  }

  #end(id: string, state: 'done' | 'dropped'): Promise<boolean> {
    return END.changesRow(this.#pool, { gateway: this.#gateway, id, owner: this.#owner, state });
  }
}
