import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import { leaseForChildren } from './child-leases.ts';
import type { LeaseItem } from './lease-item.ts';

export interface Grant {
  readonly id: string;
  readonly granted: number;
  /** True if nothing was granted because the workspace has no account yet. */
  readonly noAccount: boolean;
}

/**
 * Grants the items of each workspace in order. An item that exceeds the remaining credits reserves nothing. An account without a limit
 * has the balance NULL, which `least` ignores. Items of sub-accounts are only reported: their payer's account is leased from.
 */
const LEASE = `
  WITH RECURSIVE requested AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS r(id, workspace_id, max_credits, min_credits, n)
  ), account AS (
    SELECT workspace_id, payer_id IS NOT NULL AS is_child,
      CASE WHEN payer_id IS NULL THEN least(balance - reserved, 2000000000)::int ELSE 0 END AS available FROM accounts
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
    INSERT INTO leases (id, workspace_id, credits, expires_at)
    SELECT id, workspace_id, granted, now() + make_interval(secs => $5) FROM granting WHERE granted > 0
    ON CONFLICT (id) DO NOTHING
    RETURNING id, workspace_id, credits
  ), reserved AS (
    UPDATE accounts a SET reserved = a.reserved + c.credits
    FROM (SELECT workspace_id, sum(credits) AS credits FROM created GROUP BY workspace_id) c WHERE a.workspace_id = c.workspace_id
  )
  SELECT requested.id, coalesce(l.credits, created.credits, 0) AS granted, account.workspace_id IS NULL AS no_account,
         coalesce(account.is_child, false) AND l.id IS NULL AS is_child,
         coalesce(granting.granted > 0 AND created.id IS NULL, false) AS conflicted
  FROM requested
  LEFT JOIN account USING (workspace_id)
  LEFT JOIN leases l ON l.id = requested.id AND l.workspace_id = requested.workspace_id
  LEFT JOIN granting ON granting.id = requested.id
  LEFT JOIN created ON created.id = requested.id`;

/** Adds the accounts that pay for the workspaces of `due` to those that are locked. Accounts are locked in order of their id. */
const LOCKED = `
  SELECT workspace_id, payer_id FROM accounts
  WHERE workspace_id = ANY (ARRAY(
    SELECT workspace_id FROM due
    UNION SELECT payer_id FROM accounts WHERE payer_id IS NOT NULL AND workspace_id IN (SELECT workspace_id FROM due)))
  ORDER BY workspace_id FOR UPDATE`;

/** The workspace of a row `l` and the workspace that pays for it. */
const WITH_PAYER = `CROSS JOIN LATERAL (VALUES (l.workspace_id), (l.payer_id)) AS of(id)`;

const SETTLE = `
  WITH due AS (
    SELECT DISTINCT ON (workspace_id, kind, ref) * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::timestamptz[], $7::text[])
      AS s(ref, workspace_id, kind, credits, pages, at, actor_id)
  ), locked AS (${LOCKED}), entry AS (
    INSERT INTO ledger (workspace_id, kind, ref, credits, created_at, payer_id, actor_id)
    SELECT s.workspace_id, s.kind, s.ref, -s.credits, s.at, locked.payer_id, s.actor_id FROM due s JOIN locked USING (workspace_id)
    ON CONFLICT (workspace_id, kind, ref) DO NOTHING
    RETURNING workspace_id, kind, ref, credits
  ), released AS (
    DELETE FROM leases l USING due s JOIN locked USING (workspace_id)
    WHERE l.id = s.ref AND l.workspace_id = s.workspace_id RETURNING l.workspace_id, l.credits
  ), usage AS (
    INSERT INTO usage_days AS u (workspace_id, day, kind, pages, credits)
    SELECT s.workspace_id, (s.at AT TIME ZONE 'UTC')::date, s.kind, sum(s.pages), sum(s.credits)
    FROM due s JOIN entry e USING (workspace_id, kind, ref) GROUP BY 1, 2, 3
    ON CONFLICT (workspace_id, day, kind) DO UPDATE SET pages = u.pages + excluded.pages, credits = u.credits + excluded.credits
  ), change AS (
    SELECT of.id, sum(x.charged) AS charged, sum(x.released) AS released FROM (
      SELECT workspace_id, -credits AS charged, 0 AS released FROM entry
      UNION ALL SELECT workspace_id, 0, credits FROM released) x
    JOIN locked l USING (workspace_id) ${WITH_PAYER} WHERE of.id IS NOT NULL GROUP BY of.id
  )
  UPDATE accounts a SET balance = a.balance - c.charged, reserved = a.reserved - c.released
  FROM change c WHERE a.workspace_id = c.id`;

interface GrantRow {
  readonly id: string;
  readonly granted: number;
  readonly no_account: boolean;
  /** True if the workspace is a sub-account and has no lease of this id. */
  readonly is_child: boolean;
  /** True if another replica created the same lease while this statement waited for the account lock. */
  readonly conflicted: boolean;
}

/**
 * Stores accounts, leases and the ledger. Each change of credits is one statement with an idempotency key: a lease is created once per
 * id, a charge once per (workspace, kind, ref). Statements take many items, because every page causes one lease and one charge.
 */
export class LedgerStore {
  readonly #pool: pg.Pool;
  readonly #leaseSeconds: number;
  readonly #leases: Coalescer<LeaseItem, Grant>;

  constructor(pool: pg.Pool, leaseSeconds: number) {
    this.#pool = pool;
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
    const { rows } = await this.#pool.query<GrantRow>({
      name: 'lease',
      text: LEASE,
      values: [
        requested.map((item) => item.id),
        requested.map((item) => item.workspaceId),
        requested.map((item) => item.maxCredits),
        requested.map((item) => item.minCredits),
        this.#leaseSeconds,
      ],
    });
    const grants = new Map<string, Grant>(
      rows.map(({ id, granted, no_account: noAccount }) => [id, { id, granted, noAccount }]),
    );
    const ofChildren = new Set(rows.filter((row) => row.is_child).map((row) => row.id));
    if (ofChildren.size > 0) {
      const waiting = requested.filter(({ id }) => ofChildren.has(id));
      for (const [id, granted] of await leaseForChildren(this.#pool, waiting, this.#leaseSeconds))
        grants.set(id, { id, granted, noAccount: false });
    }
    // A new statement sees the leases that another replica has committed since.
    const conflicted = new Set(rows.filter((row) => row.conflicted).map((row) => row.id));
    if (conflicted.size > 0)
      for (const grant of await this.#leaseMany(requested.filter((item) => conflicted.has(item.id))))
        grants.set(grant.id, grant);
    return items.map(({ id }) => grants.get(id) ?? { id, granted: 0, noAccount: false });
  }

  /** Charges finished work and releases its leases. Idempotent: the ledger has one entry per (workspace, kind, ref). */
  async settle(spent: readonly CreditSpent[]): Promise<void> {
    await retryWhileDatabaseUnavailable(
      () =>
        this.#pool.query({
          name: 'settle',
          text: SETTLE,
          values: [
            spent.map((s) => s.ref),
            spent.map((s) => s.workspaceId),
            spent.map((s) => s.kind),
            spent.map((s) => s.credits),
            spent.map((s) => s.pages),
            spent.map((s) => s.at ?? new Date()),
            spent.map((s) => s.actorId),
          ],
        }),
      20_000,
    );
  }

  /** Releases up to 1,000 expired leases. Locks accounts in order of their id, as all statements here do. @returns the number released */
  async releaseExpired(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(`
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
      SELECT count(*) FROM released`);
    return Number(rows[0]?.count ?? 0);
  }
}
