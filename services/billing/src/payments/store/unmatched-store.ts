import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { changeRows, column, type Params, type RowOf, selectRow, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../../store/tables.ts';
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

const COLUMNS = {
  id: column('text'),
  orderId: column('text'),
  subscriptionId: column('text'),
  amountMinor: column('int8'),
  currency: column('text'),
  reason: stateOf<UnmatchedReason>(),
};

/** An open row. */
export type OpenPayment = RowOf<typeof COLUMNS>;

/** A payment may precede the row of its order, and the gateway refunds the check of a card itself: an operator is informed after this time. */
const REPORT_MINUTES = 15;

/** A claim is also the time of the next comparison, which grows with the age of the payment, from a minute to a day. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'unmatched-payments',
  table: 'unmatched_payments',
  key: ['gateway', 'id'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'never_due' },
  fence: unfenced('each result is stored once, by its state'),
  leaseSeconds: 60,
  claimedUntil: sql`now() + greatest(interval '1 minute', least(now() - found_at, interval '1 day'))`,
  policy: ATTEMPT_POLICIES['billing.unmatched_payments'],
  isOpen: sql`state = 'open'`,
  mayBeClaimed: ({ gateway }: Params<{ readonly gateway: string }>) => sql`gateway = ${gateway}`,
  columns: COLUMNS,
  returning: sql`id, order_id AS "orderId", subscription_id AS "subscriptionId", amount_minor AS "amountMinor", currency, reason`,
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
    await changeRows(
      db,
      tables
        .insertInto('unmatched_payments')
        .values({
          gateway: this.#gateway,
          id,
          order_id: orderId,
          subscription_id: subscriptionId,
          amount_minor: amountMinor,
          currency,
          method,
          paid_at: paidAt,
          reason,
        })
        .onConflict((conflict) => conflict.doNothing()),
    );
  }

  /** Claims open payments that are due. */
  claim(limit: number): Promise<OpenPayment[]> {
    return QUEUE.claim(this.#pool, { limit, gateway: this.#gateway });
  }

  /** Ends the wait for a payment. One that was ended before keeps its state. */
  async resolve(id: string, state: 'matched' | 'refunded'): Promise<void> {
    await changeRows(this.#pool, this.#open(id).set({ state, resolved_at: sql<Date>`now()` }));
  }

  /** Ends the wait for a payment that was accepted meanwhile, by another process too. @returns whether the payment is still open */
  async isOpen(id: string): Promise<boolean> {
    await changeRows(
      this.#pool,
      this.#open(id)
        .set({ state: 'matched', resolved_at: sql<Date>`now()` })
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('payments as p')
              .select('p.id')
              .whereRef('p.gateway', '=', 'unmatched_payments.gateway')
              .whereRef('p.id', '=', 'unmatched_payments.id'),
          ),
        ),
    );
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('unmatched_payments')
        .select('id')
        .where('gateway', '=', this.#gateway)
        .where('id', '=', id)
        .where('state', '=', 'open'),
    );
    return row !== undefined;
  }

  /** Records that the operator is informed of an open payment. @returns whether the caller has to do that now */
  async report(id: string): Promise<boolean> {
    const changed = await changeRows(
      this.#pool,
      this.#open(id)
        .set({ reported_at: sql<Date>`now()` })
        .where('reported_at', 'is', null)
        .where('found_at', '<=', sql<Date>`now() - make_interval(mins => ${sql.lit(REPORT_MINUTES)})`),
    );
    return changed === 1;
  }

  /** Counts the payments that an operator was informed of and that are still open. */
  async countReported(): Promise<number> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('unmatched_payments')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('state', '=', 'open')
        .where('reported_at', 'is not', null),
    );
    return row?.n ?? 0;
  }

  /** Changes an open payment. */
  #open(id: string) {
    return tables
      .updateTable('unmatched_payments')
      .where('gateway', '=', this.#gateway)
      .where('id', '=', id)
      .where('state', '=', 'open');
  }
}
