import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import {
  anyOf,
  changeRows,
  column,
  type Expression,
  jsonOf,
  type Params,
  type RowOf,
  type RowOfQuery,
  selectRow,
  selectRows,
  sql,
} from '@tidemark/sql';
import type pg from 'pg';
import type { StoredLine } from '../../documents/document.ts';
import { LIVE_STATES } from '../../states/subscription-state.ts';
import { schema, tables } from '../../store/tables.ts';

const PERIOD_COLUMNS = {
  workspaceId: column('text'),
  startsAt: column('timestamptz'),
  endsAt: column('timestamptz'),
  plan: column('text'),
  /** Credits. */
  overageUsed: column('int8'),
  /** Currency of the latest paid subscription. */
  currency: column('text'),
};

/** The overage of a period that ended and has no charge yet. */
export type UnbilledPeriod = RowOf<typeof PERIOD_COLUMNS>;

const UNBILLED = schema.prepareText(
  'unbilled-periods',
  PERIOD_COLUMNS,
  ({ gateway, limit }: Params<{ readonly gateway: string; readonly limit: number }>) => sql`
    SELECT p.workspace_id AS "workspaceId", p.starts_at AS "startsAt", p.ends_at AS "endsAt", p.plan, p.overage_used AS "overageUsed", s.currency
    FROM periods p JOIN LATERAL (SELECT currency FROM subscriptions s WHERE s.workspace_id = p.workspace_id AND s.gateway = ${gateway}
      AND s.paid_until IS NOT NULL ORDER BY s.created_at DESC LIMIT 1) s ON true
    WHERE p.overage_used > 0 AND NOT p.is_billed ORDER BY p.ends_at LIMIT ${limit}`,
);

const CHARGES = tables.selectFrom('overage_charges').select(['id', 'gross_minor as grossMinor', 'currency', 'lines']);

/** The price of the overage of a period. Amounts are minor units, tax included. */
export type OverageCharge = RowOfQuery<typeof CHARGES>;

interface BillValues {
  readonly workspaceId: string;
  readonly startsAt: Date;
  /** Null: the period costs nothing. */
  readonly id: string | null;
  readonly state: 'waived' | 'new';
  readonly currency: string;
  readonly grossMinor: string;
  readonly lines: string;
}

const BILL = schema.prepareText(
  'bill-period',
  {},
  ({ workspaceId, startsAt, id, state, currency, grossMinor, lines }: Params<BillValues>) => sql`
    WITH billed AS (
      UPDATE periods SET is_billed = true WHERE workspace_id = ${workspaceId} AND starts_at = ${startsAt} AND NOT is_billed
      RETURNING workspace_id, starts_at
    )
    INSERT INTO overage_charges (id, workspace_id, starts_at, state, currency, gross_minor, lines)
    SELECT ${id}, workspace_id, starts_at, ${state}, ${currency}, ${grossMinor}::bigint, ${lines}::jsonb FROM billed WHERE ${id}::text IS NOT NULL
    ON CONFLICT DO NOTHING`,
);

/** Charges of one payment. */
const MAX_CHARGES = 24;

/** The active subscription of the charge's workspace whose next payment is at least 36 hours ahead: the gateway fixes its amount before. */
const subscriptionAt = (gateway: Expression<string>) => sql`FROM subscriptions s
  WHERE s.workspace_id = overage_charges.workspace_id AND s.gateway = ${gateway} AND s.state = 'active' AND NOT s.cancel_at_end
    AND s.gateway_id IS NOT NULL AND s.currency = overage_charges.currency AND s.paid_until > now() + interval '36 hours'`;

const CLAIMED_COLUMNS = {
  id: column('text'),
  grossMinor: column('int8'),
  currency: column('text'),
  lines: jsonOf<readonly StoredLine[]>(),
  subscriptionId: column('text'),
  /** Of the subscription at the gateway. */
  gatewayId: column('text'),
};
export type ClaimedCharge = RowOf<typeof CLAIMED_COLUMNS>;

const QUEUE = new LeasedQueue({
  schema,
  name: 'overage-charges',
  table: 'overage_charges',
  key: ['id'],
  times: { kind: 'shared', at: 'claimed_until', whenNull: 'never_due' },
  fence: unfenced('the gateway finds a repeated charge by its id'),
  leaseSeconds: 120,
  policy: ATTEMPT_POLICIES['billing.overage_charges'],
  isOpen: sql`state = 'new'`,
  mayBeClaimed: ({ gateway }: Params<{ readonly gateway: string }>) => sql`EXISTS (SELECT ${subscriptionAt(gateway)})`,
  onClaim: ({ gateway }: Params<{ readonly gateway: string }>) =>
    sql`subscription_id = (SELECT s.id ${subscriptionAt(gateway)} LIMIT 1)`,
  columns: CLAIMED_COLUMNS,
  returning: sql`id, gross_minor AS "grossMinor", currency, lines, coalesce(subscription_id, '') AS "subscriptionId",
    (SELECT s.gateway_id FROM subscriptions s WHERE s.id = overage_charges.subscription_id) AS "gatewayId"`,
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
  unbilled(limit: number): Promise<UnbilledPeriod[]> {
    return UNBILLED.rows(this.#pool, { gateway: this.#gateway, limit });
  }

  /** Stores the charge of a period once; undefined: the period costs nothing. */
  async bill(
    { workspaceId, startsAt }: UnbilledPeriod,
    charge: (OverageCharge & { readonly isWaived: boolean }) | undefined,
  ): Promise<void> {
    await BILL.change(this.#pool, {
      workspaceId,
      startsAt,
      id: charge?.id ?? null,
      state: charge?.isWaived === true ? 'waived' : 'new',
      currency: charge?.currency ?? '',
      grossMinor: charge?.grossMinor ?? '0',
      lines: JSON.stringify(charge?.lines ?? []),
    });
  }

  /** Claims charges that the gateway does not have yet and can add to a payment. */
  claim(limit: number): Promise<ClaimedCharge[]> {
    return QUEUE.claim(this.#pool, { limit, gateway: this.#gateway });
  }

  /** Records that the gateway adds a charge to the next payment. */
  async sent({ id, subscriptionId }: ClaimedCharge): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('overage_charges')
        .set({ state: 'sent' })
        .where('id', '=', id)
        .where('subscription_id', '=', subscriptionId)
        .where('state', '=', 'new'),
    );
  }

  /** Locks the unpaid charges that the gateway has, or may have, of a subscription, oldest first. */
  unpaid(db: pg.PoolClient, subscriptionId: string): Promise<OverageCharge[]> {
    return selectRows(
      db,
      CHARGES.where('subscription_id', '=', subscriptionId)
        .where('state', 'in', ['new', 'sent'])
        .orderBy('state', 'desc')
        .orderBy('starts_at')
        .limit(MAX_CHARGES)
        .forUpdate(),
    );
  }

  async paid(db: pg.PoolClient, ids: readonly string[], paymentId: string): Promise<void> {
    if (ids.length === 0) return;
    await changeRows(
      db,
      tables.updateTable('overage_charges').set({ state: 'paid', payment_id: paymentId }).where('id', '=', anyOf(ids)),
    );
  }

  /**
   * Counts the charges that no payment will include: their workspace has no subscription that is renewed, in their currency. They are claimed
   * once it has one again.
   */
  async countWaiting(): Promise<number> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('overage_charges as c')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('c.state', '=', 'new')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('subscriptions as s')
                .select('s.id')
                .whereRef('s.workspace_id', '=', 'c.workspace_id')
                .where('s.state', 'in', LIVE_STATES)
                .where('s.cancel_at_end', '=', false)
                .whereRef('s.currency', '=', 'c.currency'),
            ),
          ),
        ),
    );
    return row?.n ?? 0;
  }

  /** Frees the unpaid charges of a subscription that has ended: the next one of the workspace charges them. */
  async release(db: pg.PoolClient, subscriptionId: string): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('overage_charges')
        .set({ state: 'new', subscription_id: null, claimed_until: sql<Date>`now()` })
        .where('subscription_id', '=', subscriptionId)
        .where('state', 'in', ['new', 'sent']),
    );
  }
}
