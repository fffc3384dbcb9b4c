import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { Coalescer, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

/** A request to reserve between `minCredits` and `maxCredits` for the capture `id`. */
export interface LeaseItem {
  readonly id: string;
  readonly workspaceId: string;
  readonly maxCredits: number;
  readonly minCredits: number;
}

export interface Grant {
  readonly id: string;
  readonly granted: number;
  /** True if nothing was granted because the workspace has no account yet. */
  readonly noAccount: boolean;
}

/**
 * Grants the items of each workspace in order. An item that exceeds the remaining credits reserves nothing. An account without a limit
 * has the balance NULL, which `least` ignores.
 */
const LEASE = `
  WITH RECURSIVE requested AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS r(id, workspace_id, max_credits, min_credits, n)
  ), account AS (
    SELECT workspace_id, least(balance - reserved, 2000000000)::int AS available FROM accounts
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
         coalesce(granting.granted > 0 AND created.id IS NULL, false) AS conflicted
  FROM requested
  LEFT JOIN account USING (workspace_id)
  LEFT JOIN leases l ON l.id = requested.id AND l.workspace_id = requested.workspace_id
  LEFT JOIN granting ON granting.id = requested.id
  LEFT JOIN created ON created.id = requested.id`;

interface GrantRow {
  readonly id: string;
  readonly granted: number;
  readonly no_account: boolean;
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
    // A new statement sees the leases that another replica has committed since.
    const conflicted = new Set(rows.filter((row) => row.conflicted).map((row) => row.id));
    if (conflicted.size > 0)
      for (const grant of await this.#leaseMany(requested.filter((item) => conflicted.has(item.id))))
        grants.set(grant.id, grant);
    return items.map(({ id }) => grants.get(id) ?? { id, granted: 0, noAccount: false });
  }

  /**
   * Opens an account with its welcome credits; null: without a credit limit, so that every lease is granted. Does nothing if the
   * account exists.
   */
  async open(workspaceId: string, plan: string, welcomeCredits: number | null): Promise<void> {
    await this.#pool.query({
      name: 'open-account',
      text: `
        WITH opened AS (
          INSERT INTO accounts (workspace_id, plan, balance) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING workspace_id)
        INSERT INTO ledger (workspace_id, kind, ref, credits) SELECT workspace_id, 'welcome', workspace_id, $3::bigint FROM opened WHERE $3::bigint IS NOT NULL
        ON CONFLICT DO NOTHING`,
      values: [workspaceId, plan, welcomeCredits],
    });
  }

  /** Charges finished work and releases its leases. Idempotent: the ledger has one entry per (workspace, kind, ref). */
  async settle(spent: readonly CreditSpent[]): Promise<void> {
    await retryWhileDatabaseUnavailable(
      () =>
        this.#pool.query({
          name: 'settle',
          text: `
        WITH spent AS (
          SELECT DISTINCT ON (workspace_id, kind, ref) * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::timestamptz[])
            AS s(ref, workspace_id, kind, credits, pages, at)
        ), locked AS (
          SELECT workspace_id FROM accounts WHERE workspace_id IN (SELECT workspace_id FROM spent) ORDER BY workspace_id FOR UPDATE
        ), entry AS (
          INSERT INTO ledger (workspace_id, kind, ref, credits, created_at)
          SELECT s.workspace_id, s.kind, s.ref, -s.credits, s.at FROM spent s JOIN locked USING (workspace_id)
          ON CONFLICT (workspace_id, kind, ref) DO NOTHING
          RETURNING workspace_id, kind, ref, credits
        ), released AS (
          DELETE FROM leases l USING spent s JOIN locked USING (workspace_id)
          WHERE l.id = s.ref AND l.workspace_id = s.workspace_id RETURNING l.workspace_id, l.credits
        ), usage AS (
          INSERT INTO usage_days AS u (workspace_id, day, pages, credits)
          SELECT s.workspace_id, (s.at AT TIME ZONE 'UTC')::date, sum(s.pages), sum(s.credits)
          FROM spent s JOIN entry e USING (workspace_id, kind, ref) GROUP BY 1, 2
          ON CONFLICT (workspace_id, day) DO UPDATE SET pages = u.pages + excluded.pages, credits = u.credits + excluded.credits
        ), change AS (
          SELECT workspace_id, sum(charged) AS charged, sum(released) AS released FROM (
            SELECT workspace_id, -credits AS charged, 0 AS released FROM entry
            UNION ALL SELECT workspace_id, 0, credits FROM released) x GROUP BY workspace_id
        )
        UPDATE accounts a SET balance = a.balance - c.charged, reserved = a.reserved - c.released
        FROM change c WHERE a.workspace_id = c.workspace_id`,
          values: [
            spent.map((s) => s.ref),
            spent.map((s) => s.workspaceId),
            spent.map((s) => s.kind),
            spent.map((s) => s.credits),
            spent.map((s) => s.pages),
            spent.map((s) => s.at ?? new Date()),
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
      ), locked AS (
        SELECT workspace_id FROM accounts WHERE workspace_id IN (SELECT workspace_id FROM due) ORDER BY workspace_id FOR UPDATE
      ), released AS (
        DELETE FROM leases l USING due JOIN locked USING (workspace_id) WHERE l.id = due.id AND l.expires_at < now()
        RETURNING l.workspace_id, l.credits
      ), change AS (
        UPDATE accounts a SET reserved = a.reserved - r.credits
        FROM (SELECT workspace_id, sum(credits) AS credits FROM released GROUP BY workspace_id) r WHERE a.workspace_id = r.workspace_id
      )
      SELECT count(*) FROM released`);
    return Number(rows[0]?.count ?? 0);
  }
}
