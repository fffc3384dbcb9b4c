import { textOrEmpty } from '@tidemark/contracts';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { AVAILABLE } from './buckets.ts';
import type { LeaseItem } from './lease-item.ts';
import { leaseInOrder } from './ordered-leases.ts';
import type { PlanStore } from './plan-store.ts';
import { LOCKED, SETTLE, WITH_PAYER } from './settle-statement.ts';
import { schema } from './tables.ts';

export interface Grant {
  readonly id: string;
  readonly granted: number;
  /** True if nothing was granted because the workspace has no account yet. */
  readonly noAccount: boolean;
  /** The key, person or project whose spend limit refused the item. */
  readonly refusedBy?: string | undefined;
}

/** Requested leases: the values at each position of the lists. */
interface LeaseValues {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly maxCredits: readonly number[];
  readonly minCredits: readonly number[];
  readonly actorIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly leaseSeconds: number;
}

const GRANT_COLUMNS = {
  id: column('text'),
  granted: column('int4'),
  no_account: column('bool'),
  /** True if the workspace is a sub-account or has spend limits, and has no lease of this id. */
  is_ordered: column('bool'),
  /** True if the period of the account is over and the next one has not begun. */
  is_over: column('bool'),
  /** True if another replica created the same lease while this statement waited for the account lock. */
  conflicted: column('bool'),
};

/**
 * Grants the items of each workspace in order. An item that exceeds the remaining credits reserves nothing. The credits of an
 * account without a limit are NULL, which `least` ignores. Items of sub-accounts and of workspaces with spend limits are only reported.
 * Items of an account whose period is over are only reported too: its next period begins first.
 */
const LEASE = schema.prepareText(
  'lease',
  GRANT_COLUMNS,
  ({ ids, workspaceIds, maxCredits, minCredits, actorIds, projectIds, leaseSeconds }: Params<LeaseValues>) => sql`
  WITH RECURSIVE requested AS (
    SELECT * FROM unnest(${ids}::text[], ${workspaceIds}::text[], ${maxCredits}::int[], ${minCredits}::int[], ${actorIds}::text[], ${projectIds}::text[])
      WITH ORDINALITY AS r(id, workspace_id, max_credits, min_credits, actor_id, project_id, n)
  ), account AS (
    SELECT workspace_id, payer_id IS NOT NULL OR has_limits AS is_ordered,
      coalesce(period_end <= now(), false) AS is_over,
      CASE WHEN payer_id IS NOT NULL OR has_limits OR period_end <= now() THEN 0 ELSE least(${AVAILABLE}, 2000000000)::int END AS available FROM accounts
    WHERE workspace_id IN (SELECT workspace_id FROM requested) ORDER BY workspace_id FOR UPDATE
  ), item AS (
    SELECT id, workspace_id, max_credits, greatest(min_credits, 1) AS min_credits, row_number() OVER (PARTITION BY workspace_id ORDER BY n) AS position
    FROM requested r WHERE NOT EXISTS (SELECT 1 FROM leases l WHERE l.id = r.id)
  ), granting AS (
    SELECT i.id, workspace_id, i.position, o.granted, a.available - o.granted AS remaining
    FROM account a JOIN item i USING (workspace_id)
    CROSS JOIN LATERAL (SELECT CASE WHEN least(i.max_credits, a.available) >= i.min_credits THEN least(i.max_credits, a.available) ELSE 0 END AS granted) o
    WHERE i.position = 1
    UNION ALL
    SELECT i.id, workspace_id, i.position, o.granted, previous.remaining - o.granted
    FROM granting previous JOIN item i USING (workspace_id)
    CROSS JOIN LATERAL (SELECT CASE WHEN least(i.max_credits, previous.remaining) >= i.min_credits THEN least(i.max_credits, previous.remaining) ELSE 0 END AS granted) o
    WHERE i.position = previous.position + 1
  ), created AS (
    INSERT INTO leases (id, workspace_id, credits, actor_id, project_id, expires_at)
    SELECT g.id, g.workspace_id, g.granted, r.actor_id, r.project_id, now() + make_interval(secs => ${leaseSeconds})
    FROM granting g JOIN requested r USING (id) WHERE g.granted > 0
    ON CONFLICT (id) DO NOTHING
    RETURNING id, workspace_id, credits
  ), reserved AS (
    UPDATE accounts a SET reserved = a.reserved + c.credits
    FROM (SELECT workspace_id, sum(credits) AS credits FROM created GROUP BY workspace_id) c WHERE a.workspace_id = c.workspace_id
  )
  SELECT requested.id, coalesce(l.credits, created.credits, 0) AS granted, account.workspace_id IS NULL AS no_account,
         coalesce(account.is_ordered, false) AND l.id IS NULL AS is_ordered,
         coalesce(account.is_over AND NOT account.is_ordered, false) AND l.id IS NULL AS is_over,
         coalesce(granting.granted > 0 AND created.id IS NULL, false) AS conflicted
  FROM requested
  LEFT JOIN account USING (workspace_id)
  LEFT JOIN leases l ON l.id = requested.id AND l.workspace_id = requested.workspace_id
  LEFT JOIN granting ON granting.id = requested.id
  LEFT JOIN created ON created.id = requested.id`,
);

const RELEASE_EXPIRED = schema.prepareText(
  'release-expired',
  { count: column('int8') },
  () => sql`
    WITH due AS (
      SELECT id, workspace_id FROM leases WHERE expires_at < now() ORDER BY expires_at LIMIT 1000
    ), locked AS (${LOCKED}), released AS (
      DELETE FROM leases l USING due JOIN locked USING (workspace_id) WHERE l.id = due.id AND l.expires_at < now()
      RETURNING l.workspace_id, l.credits
    ), change AS (
      UPDATE accounts a SET reserved = a.reserved - r.credits
      FROM (
        SELECT of.id, sum(x.credits) AS credits FROM released x JOIN locked l USING (workspace_id) ${WITH_PAYER}
        WHERE of.id IS NOT NULL GROUP BY of.id
      ) r WHERE a.workspace_id = r.id
    )
    SELECT count(*) FROM released`,
);

/**
 * Stores accounts, leases and the ledger. Each change of credits is one statement with an idempotency key: a lease is created once per
 * id, a charge once per (workspace, kind, ref). Statements take many items, because every page causes one lease and one charge.
 */
export class LedgerStore {
  readonly #pool: pg.Pool;
  readonly #plans: PlanStore;
  readonly #leaseSeconds: number;
  readonly #leases: Coalescer<LeaseItem, Grant>;

  constructor(pool: pg.Pool, plans: PlanStore, leaseSeconds: number) {
    this.#pool = pool;
    this.#plans = plans;
    this.#leaseSeconds = leaseSeconds;
    this.#leases = new Coalescer((items) => this.#leaseMany(items), { maxBatch: 200 });
  }

  /** Reserves credits. @returns the grant: 0 credits if the balance is less than `minCredits` */
  lease(item: LeaseItem): Promise<Grant> {
    return this.#leases.add(item);
  }

  /**
   * Grants the items in order; an existing lease returns its own grant. Locks accounts in order of their id, so that concurrent
   * batches cannot deadlock.
   */
  async #leaseMany(items: readonly LeaseItem[]): Promise<Grant[]> {
    const requested = [...new Map(items.map((item) => [item.id, item])).values()];
    const rows = await LEASE.rows(this.#pool, {
      ids: requested.map((item) => item.id),
      workspaceIds: requested.map((item) => item.workspaceId),
      maxCredits: requested.map((item) => item.maxCredits),
      minCredits: requested.map((item) => item.minCredits),
      actorIds: requested.map((item) => item.actorId ?? ''),
      projectIds: requested.map((item) => item.projectId ?? ''),
      leaseSeconds: this.#leaseSeconds,
    });
    const grants = new Map<string, Grant>(
      rows.map(({ id, granted, no_account: noAccount }) => [id, { id, granted, noAccount }]),
    );
    const ordered = new Set(rows.filter((row) => row.is_ordered).map((row) => row.id));
    if (ordered.size > 0) {
      const waiting = requested.filter(({ id }) => ordered.has(id));
      const settings = { plans: this.#plans, leaseSeconds: this.#leaseSeconds };
      for (const [id, grant] of await leaseInOrder(this.#pool, waiting, settings))
        grants.set(id, { id, ...grant, noAccount: false });
    }
    const over = new Set(rows.filter((row) => row.is_over).map((row) => row.id));
    if (over.size > 0)
      await this.#plans.beginPeriods(requested.filter(({ id }) => over.has(id)).map(({ workspaceId }) => workspaceId));
    // A new statement sees the leases that another replica has committed since, and the periods that have begun.
    const again = new Set(rows.filter((row) => row.conflicted || row.is_over).map((row) => row.id));
    if (again.size > 0)
      for (const grant of await this.#leaseMany(requested.filter((item) => again.has(item.id))))
        grants.set(grant.id, grant);
    return items.map(({ id }) => grants.get(id) ?? { id, granted: 0, noAccount: false });
  }

  /** Charges finished work and releases its leases. Idempotent: the ledger has one entry per (workspace, kind, ref). */
  async settle(spent: readonly CreditSpent[]): Promise<void> {
    await retryWhileDatabaseUnavailable(
      () =>
        SETTLE.change(this.#pool, {
          refs: spent.map((s) => s.ref),
          workspaceIds: spent.map((s) => s.workspaceId),
          kinds: spent.map((s) => s.kind),
          credits: spent.map((s) => s.credits),
          pages: spent.map((s) => s.pages),
          times: spent.map((s) => s.at ?? new Date()),
          actorIds: spent.map((s) => textOrEmpty(s.actorId)),
          projectIds: spent.map((s) => textOrEmpty(s.projectId)),
        }),
      20_000,
    );
  }

  /** Releases up to 1,000 expired leases. Locks accounts in order of their id, as all statements here do. @returns the number released */
  async releaseExpired(): Promise<number> {
    const row = await RELEASE_EXPIRED.row(this.#pool, {});
    return Number(row?.count ?? 0);
  }
}
