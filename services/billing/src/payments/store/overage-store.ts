import { ATTEMPT_POLICIES, LeasedQueue, param, returning, sql, unfenced } from '@tidemark/leased-work';
import type pg from 'pg';
import type { StoredLine } from '../../documents/document.ts';

/** The overage of a period that ended and has no charge yet. */
export interface UnbilledPeriod {
  readonly workspaceId: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly plan: string;
  /** Credits. */
  readonly overageUsed: string;
  /** Currency of the latest paid subscription. */
  readonly currency: string;
}

/** The price of the overage of a period. Amounts are minor units, tax included. */
export interface OverageCharge {
  readonly id: string;
  readonly grossMinor: string;
  readonly currency: string;
  readonly lines: readonly StoredLine[];
}

export interface ClaimedCharge extends OverageCharge {
  readonly subscriptionId: string;
  /** Of the subscription at the gateway. */
  readonly gatewayId: string;
}

/** Charges of one payment. */
const MAX_CHARGES = 24;
const COLUMNS = `id, gross_minor AS "grossMinor", currency, lines`;

/** The active subscription of the charge's workspace whose next payment is at least 36 hours ahead: the gateway fixes its amount before. */
const SUBSCRIPTION = sql`FROM subscriptions s
  WHERE s.workspace_id = overage_charges.workspace_id AND s.gateway = ${param('gateway')} AND s.state = 'active' AND NOT s.cancel_at_end
    AND s.gateway_id IS NOT NULL AND s.currency = overage_charges.currency AND s.paid_until > now() + interval '36 hours'`;

const QUEUE = new LeasedQueue({
  name: 'overage-charges',
  table: 'overage_charges',
  key: ['id'],
  times: { kind: 'shared', at: 'claimed_until', whenNull: 'never_due' },
  fence: unfenced('the gateway finds a repeated charge by its id'),
  leaseSeconds: 120,
  policy: ATTEMPT_POLICIES['billing.overage_charges'],
  isOpen: sql`state = 'new'`,
  mayBeClaimed: sql`EXISTS (SELECT ${SUBSCRIPTION})`,
  onClaim: sql`subscription_id = (SELECT s.id ${SUBSCRIPTION} LIMIT 1)`,
  returning: returning<ClaimedCharge>(
    `${COLUMNS}, subscription_id AS "subscriptionId",
      (SELECT s.gateway_id FROM subscriptions s WHERE s.id = overage_charges.subscription_id) AS "gatewayId"`,
  ),
});

/** Stores what periods cost beyond their allowance: one charge for each period, which belongs to at most one payment. */
export class OverageStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Returns periods with overage that have no charge, of workspaces that have paid for a subscription. */
  async unbilled(limit: number): Promise<UnbilledPeriod[]> {
    const { rows } = await this.#pool.query<UnbilledPeriod>(
      `SELECT p.workspace_id AS "workspaceId", p.starts_at AS "startsAt", p.ends_at AS "endsAt", p.plan, p.overage_used AS "overageUsed", s.currency
       FROM periods p JOIN LATERAL (SELECT currency FROM subscriptions s WHERE s.workspace_id = p.workspace_id AND s.gateway = $1
         AND s.paid_until IS NOT NULL ORDER BY s.created_at DESC LIMIT 1) s ON true
       WHERE p.overage_used > 0 AND NOT p.is_billed ORDER BY p.ends_at LIMIT $2`,
      [this.#gateway, limit],
    );
    return rows;
  }

  /** Stores the charge of a period once; undefined: the period costs nothing. */
  async bill(
    { workspaceId, startsAt }: UnbilledPeriod,
    charge: (OverageCharge & { readonly isWaived: boolean }) | undefined,
  ): Promise<void> {
    await this.#pool.query(
      `WITH billed AS (UPDATE periods SET is_billed = true WHERE workspace_id = $1 AND starts_at = $2 AND NOT is_billed RETURNING workspace_id)
       INSERT INTO overage_charges (id, workspace_id, starts_at, state, currency, gross_minor, lines)
       SELECT $3, workspace_id, $2, CASE WHEN $4 THEN 'waived' ELSE 'new' END, $5, $6, $7 FROM billed WHERE $3::text IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [
        workspaceId,
        startsAt,
        charge?.id ?? null,
        charge?.isWaived ?? false,
        charge?.currency ?? '',
        charge?.grossMinor ?? '0',
        JSON.stringify(charge?.lines ?? []),
      ],
    );
  }

  /** Claims charges that the gateway does not have yet and can add to a payment. */
  claim(limit: number): Promise<ClaimedCharge[]> {
    return QUEUE.claim(this.#pool, { limit, gateway: this.#gateway });
  }

  /** Records that the gateway adds a charge to the next payment. */
  async sent({ id, subscriptionId }: ClaimedCharge): Promise<void> {
    await this.#pool.query(
      `UPDATE overage_charges SET state = 'sent' WHERE id = $1 AND subscription_id = $2 AND state = 'new'`,
      [id, subscriptionId],
    );
  }

  /** Locks the unpaid charges that the gateway has, or may have, of a subscription, oldest first. */
  async unpaid(db: pg.PoolClient, subscriptionId: string): Promise<OverageCharge[]> {
    const { rows } = await db.query<OverageCharge>(
      `SELECT ${COLUMNS} FROM overage_charges WHERE subscription_id = $1 AND state IN ('new', 'sent')
       ORDER BY state DESC, starts_at LIMIT ${MAX_CHARGES} FOR UPDATE`,
      [subscriptionId],
    );
    return rows;
  }

  async paid(db: pg.PoolClient, ids: readonly string[], paymentId: string): Promise<void> {
    if (ids.length === 0) return;
    await db.query(`UPDATE overage_charges SET state = 'paid', payment_id = $2 WHERE id = ANY($1)`, [ids, paymentId]);
  }

  /**
   * Counts the charges that no payment will include: their workspace has no subscription that is renewed, in their currency. They are claimed
   * once it has one again.
   */
  async countWaiting(): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM overage_charges c WHERE state = 'new' AND NOT EXISTS (SELECT FROM subscriptions s
         WHERE s.workspace_id = c.workspace_id AND s.state IN ('active', 'past_due') AND NOT s.cancel_at_end AND s.currency = c.currency)`,
    );
    return rows[0]?.n ?? 0;
  }

  /** Frees the unpaid charges of a subscription that has ended: the next one of the workspace charges them. */
  async release(db: pg.PoolClient, subscriptionId: string): Promise<void> {
    await db.query(
      `UPDATE overage_charges SET state = 'new', subscription_id = NULL, claimed_until = now() WHERE subscription_id = $1 AND state IN ('new', 'sent')`,
      [subscriptionId],
    );
  }
}
