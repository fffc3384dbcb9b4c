import { AppError, codeOf } from '@tidemark/errors';
import type pg from 'pg';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts';

export type NewSubscription = Pick<
  SubscriptionRow,
  | 'id'
  | 'workspaceId'
  | 'plan'
  | 'period'
  | 'currency'
  | 'netMinor'
  | 'grossMinor'
  | 'dueMinor'
  | 'dueNetMinor'
  | 'dueLines'
  | 'renewalLines'
  | 'taxNote'
  | 'replaces'
  | 'allowanceAdded'
  | 'anchorAt'
  | 'firstFrom'
  | 'firstUntil'
>;

const LIVE = `state IN ('active', 'past_due')`;

/** Stores subscriptions of one gateway. */
export class SubscriptionStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  async insert(row: NewSubscription): Promise<void> {
    await this.#pool.query(
      `INSERT INTO subscriptions (id, workspace_id, gateway, state, plan, period, currency, net_minor, gross_minor, due_minor, due_net_minor,
         due_lines, renewal_lines, tax_note, replaces, allowance_added, anchor_at, first_from, first_until)
       VALUES ($1, $2, $3, 'incomplete', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
      [
        row.id,
        row.workspaceId,
        this.#gateway,
        row.plan,
        row.period,
        row.currency,
        row.netMinor,
        row.grossMinor,
        row.dueMinor,
        row.dueNetMinor,
        JSON.stringify(row.dueLines),
        JSON.stringify(row.renewalLines),
        row.taxNote,
        row.replaces,
        row.allowanceAdded,
        row.anchorAt,
        row.firstFrom,
        row.firstUntil,
      ],
    );
  }

  async setGatewayId(id: string, gatewayId: string): Promise<void> {
    await this.#pool.query('UPDATE subscriptions SET gateway_id = $2 WHERE id = $1', [id, gatewayId]);
  }

  /** Returns a subscription of a workspace. */
  find(workspaceId: string, id: string): Promise<SubscriptionRow | undefined> {
    return this.#first('workspace_id = $1 AND id = $2', [workspaceId, id]);
  }

  byId(id: string): Promise<SubscriptionRow | undefined> {
    return this.#first('id = $1', [id]);
  }

  byGatewayId(gatewayId: string): Promise<SubscriptionRow | undefined> {
    return this.#first('gateway = $1 AND gateway_id = $2', [this.#gateway, gatewayId]);
  }

  /** Returns the active or unpaid subscription of a workspace. */
  live(workspaceId: string): Promise<SubscriptionRow | undefined> {
    return this.#first(`workspace_id = $1 AND ${LIVE}`, [workspaceId]);
  }

  /** Returns an unfinished subscription of the last 12 hours with the same price and purpose. */
  unfinished(values: Pick<NewSubscription, 'workspaceId' | 'plan' | 'period' | 'currency' | 'dueMinor' | 'replaces'>) {
    return this.#first(
      `workspace_id = $1 AND plan = $2 AND period = $3 AND currency = $4 AND due_minor = $5 AND coalesce(replaces, '') = $6
       AND state = 'incomplete' AND created_at > now() - interval '12 hours'`,
      [values.workspaceId, values.plan, values.period, values.currency, values.dueMinor, values.replaces ?? ''],
    );
  }

  /** Locks a subscription until the end of the transaction. */
  async lock(db: pg.PoolClient, id: string): Promise<SubscriptionRow> {
    const { rows } = await db.query<SubscriptionRow>(
      `SELECT ${SUBSCRIPTION_COLUMNS} FROM subscriptions WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (rows[0] === undefined) throw new AppError('not_found', 'subscription not found');
    return rows[0];
  }

  /** Stores what a fetch and its payments changed. @throws AppError conflict if the workspace has another live subscription */
  async save(db: pg.PoolClient, row: SubscriptionRow): Promise<void> {
    const text = `UPDATE subscriptions SET state = $2, gateway_state = $3, fetched_at = $4, plan = $5, net_minor = $6, gross_minor = $7,
        renewal_lines = $8, anchor_at = $9, paid_from = $10, paid_until = $11, paid_net_minor = $12, cancel_at_end = $13, next = $14,
        closing = $15, card = $16, past_due_at = $17, reminders = $18 WHERE id = $1`;
    const values = [
      row.id,
      row.state,
      row.gatewayState,
      row.fetchedAt,
      row.plan,
      row.netMinor,
      row.grossMinor,

      JSON.stringify(row.renewalLines),
      row.anchorAt,
      row.paidFrom,
      row.paidUntil,
      row.paidNetMinor,
      row.cancelAtEnd,
      row.next === null ? null : JSON.stringify(row.next),
      row.closing,
      row.card,
      row.pastDueAt,
      row.reminders,
    ];
    await db.query(text, values).catch((error: unknown) => {
      if (codeOf(error) === '23505')
        throw new AppError('conflict', 'the workspace has a subscription already', { cause: error });
      throw error;
    });
  }

  /** Counts the reminders that are due, one and three days after a renewal was found unpaid. @returns their subscriptions */
  async remind(db: pg.PoolClient, now: Date): Promise<SubscriptionRow[]> {
    const { rows } = await db.query<SubscriptionRow>(
      `UPDATE subscriptions SET reminders = reminders + 1
       WHERE id IN (SELECT id FROM subscriptions WHERE gateway = $1 AND state = 'past_due'
         AND past_due_at + CASE reminders WHEN 1 THEN interval '1 day' WHEN 2 THEN interval '3 days' END <= $2
         ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING ${SUBSCRIPTION_COLUMNS}`,
      [this.#gateway, now],
    );
    return rows;
  }

  /** Records a cancellation, before the gateway is called. @returns false if the subscription is not live */
  async close(id: string, closing: 'now' | 'cycle_end'): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE subscriptions SET cancel_at_end = true, closing = $2, next = NULL WHERE id = $1 AND ${LIVE}`,
      [id, closing],
    );
    return rowCount === 1;
  }

  /** Records that an unpaid checkout is rejected, and has to be cancelled at the gateway. */
  async reject(id: string): Promise<SubscriptionRow> {
    await this.#pool.query(
      `UPDATE subscriptions SET state = 'expired', cancel_at_end = true, closing = 'now' WHERE id = $1 AND paid_until IS NULL AND NOT cancel_at_end`,
      [id],
    );
    const row = await this.byId(id);
    if (row === undefined) throw new AppError('not_found', 'subscription not found');
    return row;
  }

  /** Records that the gateway has confirmed a cancellation. */
  async closed(id: string): Promise<void> {
    await this.#pool.query('UPDATE subscriptions SET closing = NULL WHERE id = $1', [id]);
  }

  async setNext(id: string, next: SubscriptionRow['next']): Promise<void> {
    await this.#pool.query('UPDATE subscriptions SET next = $2 WHERE id = $1', [
      id,
      next === null ? null : JSON.stringify(next),
    ]);
  }

  /**
   * Returns subscriptions to compare with the gateway: cancellations that it has not confirmed, ended periods, and unfinished checkouts of the
   * last two days.
   */
  async due(limit: number): Promise<SubscriptionRow[]> {
    const { rows } = await this.#pool.query<SubscriptionRow>(
      `SELECT ${SUBSCRIPTION_COLUMNS} FROM subscriptions
       WHERE gateway = $1 AND gateway_id IS NOT NULL AND (closing IS NOT NULL OR (${LIVE} AND paid_until < now())
         OR (state = 'incomplete' AND created_at < now() - interval '15 minutes' AND created_at > now() - interval '2 days'))
       ORDER BY coalesce(fetched_at, created_at) LIMIT $2`,
      [this.#gateway, limit],
    );
    return rows;
  }

  async #first(where: string, values: readonly string[]): Promise<SubscriptionRow | undefined> {
    const { rows } = await this.#pool.query<SubscriptionRow>(
      `SELECT ${SUBSCRIPTION_COLUMNS} FROM subscriptions WHERE ${where} ORDER BY created_at DESC LIMIT 1`,
      [...values],
    );
    return rows[0];
  }
}
