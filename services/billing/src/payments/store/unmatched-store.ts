import { ATTEMPT_POLICIES, LeasedQueue, param, returning, sql, unfenced } from '@tidemark/leased-work';
import type pg from 'pg';
import type { FetchedPayment } from '../port/gateway.ts';

/**
 * Why a captured payment was not accepted. `unknown_object`: its order or subscription is not stored, or not yet; `amount_differs`: from its
 * order, in amount or currency; `order_paid_twice`; `nothing_due`: its subscription owes nothing of this amount.
 */
export type UnmatchedReason = 'unknown_object' | 'amount_differs' | 'order_paid_twice' | 'nothing_due';

export interface UnmatchedPayment {
  readonly payment: Pick<FetchedPayment, 'id' | 'amountMinor' | 'refundedMinor' | 'currency' | 'method' | 'paidAt'>;
  /** Ids at the gateway; empty: none. */
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly reason: UnmatchedReason;
}

/** An open row. */
export interface OpenPayment {
  readonly id: string;
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly reason: UnmatchedReason;
}

const COLUMNS = `id, order_id AS "orderId", subscription_id AS "subscriptionId", amount_minor AS "amountMinor", currency, reason`;
/** A payment may precede the row of its order, and the gateway refunds the check of a card itself: an operator is informed after this time. */
const REPORT_MINUTES = 15;

/** A claim is also the time of the next comparison, which grows with the age of the payment, from a minute to a day. */
const QUEUE = new LeasedQueue({
  name: 'unmatched-payments',
  table: 'unmatched_payments',
  key: ['gateway', 'id'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'never_due' },
  fence: unfenced('each result is stored once, by its state'),
  leaseSeconds: 60,
  claimedUntil: sql`now() + greatest(interval '1 minute', least(now() - found_at, interval '1 day'))`,
  policy: ATTEMPT_POLICIES['billing.unmatched_payments'],
  isOpen: sql`state = 'open'`,
  mayBeClaimed: sql`gateway = ${param('gateway')}`,
  returning: returning<OpenPayment>(COLUMNS),
});

/** Stores captured payments of one gateway that were not accepted, until they are matched or refunded. */
export class UnmatchedStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Stores a payment once, unless it is refunded already. @param db the transaction that found it, or none */
  async insert(
    { payment, orderId, subscriptionId, reason }: UnmatchedPayment,
    db: pg.Pool | pg.PoolClient = this.#pool,
  ): Promise<void> {
    const { id, amountMinor, refundedMinor, currency, method, paidAt } = payment;
    if (refundedMinor >= amountMinor) return;
    await db.query(
      `INSERT INTO unmatched_payments (gateway, id, order_id, subscription_id, amount_minor, currency, method, paid_at, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
      [this.#gateway, id, orderId, subscriptionId, amountMinor, currency, method, paidAt, reason],
    );
  }

  /** Claims open payments that are due. */
  claim(limit: number): Promise<OpenPayment[]> {
    return QUEUE.claim(this.#pool, { limit, gateway: this.#gateway });
  }

  /** Ends the wait for a payment. One that was ended before keeps its state. */
  async resolve(id: string, state: 'matched' | 'refunded'): Promise<void> {
    await this.#pool.query(
      `UPDATE unmatched_payments SET state = $3, resolved_at = now() WHERE gateway = $1 AND id = $2 AND state = 'open'`,
      [this.#gateway, id, state],
    );
  }

  /** Ends the wait for a payment that was accepted meanwhile, by another process too. @returns whether the payment is still open */
  async isOpen(id: string): Promise<boolean> {
    await this.#pool.query(
      `UPDATE unmatched_payments u SET state = 'matched', resolved_at = now() WHERE gateway = $1 AND id = $2 AND state = 'open'
         AND EXISTS (SELECT FROM payments p WHERE p.gateway = u.gateway AND p.id = u.id)`,
      [this.#gateway, id],
    );
    const { rowCount } = await this.#pool.query(
      `SELECT FROM unmatched_payments WHERE gateway = $1 AND id = $2 AND state = 'open'`,
      [this.#gateway, id],
    );
    return rowCount === 1;
  }

  /** Records that the operator is informed of an open payment. @returns whether the caller has to do that now */
  async report(id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE unmatched_payments SET reported_at = now() WHERE gateway = $1 AND id = $2 AND state = 'open' AND reported_at IS NULL
         AND found_at <= now() - interval '${REPORT_MINUTES} minutes'`,
      [this.#gateway, id],
    );
    return rowCount === 1;
  }

  /** Counts the payments that an operator was informed of and that are still open. */
  async countReported(): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM unmatched_payments WHERE state = 'open' AND reported_at IS NOT NULL`,
    );
    return rows[0]?.n ?? 0;
  }
}
