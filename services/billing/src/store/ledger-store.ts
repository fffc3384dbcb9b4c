import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { Coalescer, whileDatabaseAway } from '@tidemark/service';
import type pg from 'pg';

export interface Wish {
  readonly id: string;
  readonly workspaceId: string;
  readonly want: number;
  readonly least: number;
}

export interface Grant {
  readonly id: string;
  readonly granted: number;
  /** Whether nothing was granted because the workspace has no account yet. */
  readonly unopened: boolean;
}

/** Walks the wishes of each workspace in their order, so that one too dear to be granted takes nothing from the next. */
const LEASE = `
  WITH RECURSIVE asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS w(id, workspace_id, want, least, n)
  ), account AS (
    SELECT workspace_id, least(balance - reserved, 2000000000)::int AS free FROM accounts
    WHERE workspace_id IN (SELECT workspace_id FROM asked) ORDER BY workspace_id FOR UPDATE
  ), wish AS (
    SELECT id, workspace_id, want, greatest(least, 1) AS least, row_number() OVER (PARTITION BY workspace_id ORDER BY n) AS turn
    FROM asked w WHERE NOT EXISTS (SELECT 1 FROM leases l WHERE l.id = w.id)
  ), walk AS (
    SELECT w.id, workspace_id, w.turn, o.granted, a.free - o.granted AS rest
    FROM account a JOIN wish w USING (workspace_id)
    CROSS JOIN LATERAL (SELECT CASE WHEN least(w.want, a.free) >= w.least THEN least(w.want, a.free) ELSE 0 END AS granted) o
    WHERE w.turn = 1
    UNION ALL
    SELECT w.id, workspace_id, w.turn, o.granted, before.rest - o.granted
    FROM walk before JOIN wish w USING (workspace_id)
    CROSS JOIN LATERAL (SELECT CASE WHEN least(w.want, before.rest) >= w.least THEN least(w.want, before.rest) ELSE 0 END AS granted) o
    WHERE w.turn = before.turn + 1
  ), made AS (
    INSERT INTO leases (id, workspace_id, credits, expires_at)
    SELECT id, workspace_id, granted, now() + make_interval(secs => $5) FROM walk WHERE granted > 0
    ON CONFLICT (id) DO NOTHING
    RETURNING id, workspace_id, credits
  ), held AS (
    UPDATE accounts a SET reserved = a.reserved + m.credits
    FROM (SELECT workspace_id, sum(credits) AS credits FROM made GROUP BY workspace_id) m WHERE a.workspace_id = m.workspace_id
  )
  SELECT asked.id, coalesce(l.credits, made.credits, 0) AS granted, account.workspace_id IS NULL AS unopened,
         coalesce(walk.granted > 0 AND made.id IS NULL, false) AS raced
  FROM asked
  LEFT JOIN account USING (workspace_id)
  LEFT JOIN leases l ON l.id = asked.id AND l.workspace_id = asked.workspace_id
  LEFT JOIN walk ON walk.id = asked.id
  LEFT JOIN made ON made.id = asked.id`;

/**
 * Credits are integers that change in one statement each, with a reason and a key: a lease is held once under its id, a charge
 * is made once per (workspace, kind, ref). Statements take many items at once, since every page passes here twice.
 */
export class LedgerStore {
  readonly #pool: pg.Pool;
  readonly #leaseSeconds: number;
  readonly #leases: Coalescer<Wish, Grant>;

  constructor(pool: pg.Pool, leaseSeconds: number) {
    this.#pool = pool;
    this.#leaseSeconds = leaseSeconds;
    this.#leases = new Coalescer((wishes) => this.#leaseMany(wishes), { maxBatch: 200 });
  }

  /** Sets credits aside. @returns what was granted: 0 where the balance can't buy the least asked for */
  lease(wish: Wish): Promise<Grant> {
    return this.#leases.add(wish);
  }

  /**
   * Each wish gets what the ones before it left over; a lease already held is answered with what it holds.
   * Accounts are locked in order of their id, so that two batches never wait for each other in a circle. The commit does not wait
   * for the disk: a reservation lost with the server's memory costs nobody anything, the charge that follows is what counts.
   */
  async #leaseMany(wishes: readonly Wish[]): Promise<Grant[]> {
    const asked = [...new Map(wishes.map((wish) => [wish.id, wish])).values()];
    const { rows } = await this.#pool.query<Grant & { raced: boolean }>({
      name: 'lease',
      text: LEASE,
      values: [
        asked.map((w) => w.id),
        asked.map((w) => w.workspaceId),
        asked.map((w) => w.want),
        asked.map((w) => w.least),
        this.#leaseSeconds,
      ],
    });
    const grants = new Map<string, Grant>(rows.map(({ id, granted, unopened }) => [id, { id, granted, unopened }]));
    // Another replica made the same lease while this one waited for the account: now it can be seen.
    const raced = new Set(rows.filter((row) => row.raced).map((row) => row.id));
    if (raced.size > 0)
      for (const grant of await this.#leaseMany(asked.filter((wish) => raced.has(wish.id))))
        grants.set(grant.id, grant);
    return wishes.map(({ id }) => grants.get(id) ?? { id, granted: 0, unopened: false });
  }

  /** Opens an account with its welcome credits, once. */
  async open(workspaceId: string, plan: string, welcomeCredits: number): Promise<void> {
    await this.#pool.query({
      name: 'open-account',
      text: `
        WITH opened AS (
          INSERT INTO accounts (workspace_id, plan, balance) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING workspace_id)
        INSERT INTO ledger (workspace_id, kind, ref, credits) SELECT workspace_id, 'welcome', workspace_id, $3::bigint FROM opened
        ON CONFLICT DO NOTHING`,
      values: [workspaceId, plan, welcomeCredits],
    });
  }

  /** Charges finished work and gives its leases back. Safe to repeat: an entry is made once per (workspace, kind, ref). */
  async settle(spent: readonly CreditSpent[]): Promise<void> {
    await whileDatabaseAway(
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
        ), freed AS (
          DELETE FROM leases l USING spent s JOIN locked USING (workspace_id)
          WHERE l.id = s.ref AND l.workspace_id = s.workspace_id RETURNING l.workspace_id, l.credits
        ), used AS (
          INSERT INTO usage_days AS u (workspace_id, day, pages, credits)
          SELECT s.workspace_id, (s.at AT TIME ZONE 'UTC')::date, sum(s.pages), sum(s.credits)
          FROM spent s JOIN entry e USING (workspace_id, kind, ref) GROUP BY 1, 2
          ON CONFLICT (workspace_id, day) DO UPDATE SET pages = u.pages + excluded.pages, credits = u.credits + excluded.credits
        ), change AS (
          SELECT workspace_id, sum(charged) AS charged, sum(released) AS released FROM (
            SELECT workspace_id, -credits AS charged, 0 AS released FROM entry
            UNION ALL SELECT workspace_id, 0, credits FROM freed) x GROUP BY workspace_id
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

  /** Gives back leases whose work died without a word. Accounts are locked first and in order, as everywhere here. @returns how many */
  async giveBackExpired(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(`
      WITH due AS (
        SELECT id, workspace_id FROM leases WHERE expires_at < now() ORDER BY expires_at LIMIT 1000
      ), locked AS (
        SELECT workspace_id FROM accounts WHERE workspace_id IN (SELECT workspace_id FROM due) ORDER BY workspace_id FOR UPDATE
      ), gone AS (
        DELETE FROM leases l USING due JOIN locked USING (workspace_id) WHERE l.id = due.id AND l.expires_at < now()
        RETURNING l.workspace_id, l.credits
      ), freed AS (
        UPDATE accounts a SET reserved = a.reserved - g.credits
        FROM (SELECT workspace_id, sum(credits) AS credits FROM gone GROUP BY workspace_id) g WHERE a.workspace_id = g.workspace_id
      )
      SELECT count(*) FROM gone`);
    return Number(rows[0]?.count ?? 0);
  }
}
