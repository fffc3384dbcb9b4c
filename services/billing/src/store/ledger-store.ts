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
}

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
   * Accounts are locked in order of their id, so that two batches never wait for each other in a circle.
   */
  async #leaseMany(wishes: readonly Wish[]): Promise<Grant[]> {
    const { rows } = await this.#pool.query<{ id: string; granted: number }>({
      name: 'lease',
      text: `
        WITH wish AS (
          SELECT w.* FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS w(id, workspace_id, want, least, n)
        ), account AS (
          SELECT workspace_id, balance - reserved AS free FROM accounts
          WHERE workspace_id IN (SELECT workspace_id FROM wish) ORDER BY workspace_id FOR UPDATE
        ), offered AS (
          SELECT w.id, w.workspace_id, w.least,
                 least(w.want, a.free - coalesce(sum(w.want) OVER (PARTITION BY w.workspace_id ORDER BY w.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::int AS credits
          FROM wish w JOIN account a USING (workspace_id)
          WHERE NOT EXISTS (SELECT 1 FROM leases l WHERE l.id = w.id)
        ), made AS (
          INSERT INTO leases (id, workspace_id, credits, expires_at)
          SELECT id, workspace_id, credits, now() + make_interval(secs => $5) FROM offered WHERE credits >= greatest(least, 1)
          ON CONFLICT (id) DO NOTHING
          RETURNING id, workspace_id, credits
        ), held AS (
          UPDATE accounts a SET reserved = a.reserved + m.credits
          FROM (SELECT workspace_id, sum(credits) AS credits FROM made GROUP BY workspace_id) m WHERE a.workspace_id = m.workspace_id
        )
        SELECT id, credits AS granted FROM made
        UNION ALL SELECT l.id, l.credits FROM leases l JOIN wish w ON w.id = l.id AND w.workspace_id = l.workspace_id`,
      values: [
        wishes.map((w) => w.id),
        wishes.map((w) => w.workspaceId),
        wishes.map((w) => w.want),
        wishes.map((w) => w.least),
        this.#leaseSeconds,
      ],
    });
    const granted = new Map(rows.map((row) => [row.id, row.granted]));
    return wishes.map(({ id }) => ({ id, granted: granted.get(id) ?? 0 }));
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

  async isOpen(workspaceIds: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ workspace_id: string }>({
      name: 'is-open',
      text: 'SELECT workspace_id FROM accounts WHERE workspace_id = ANY($1)',
      values: [workspaceIds],
    });
    return new Set(rows.map((row) => row.workspace_id));
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
          DELETE FROM leases l USING spent s WHERE l.id = s.ref AND l.workspace_id = s.workspace_id RETURNING l.workspace_id, l.credits
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

  /** Gives back leases whose work died without a word. @returns how many */
  async giveBackExpired(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(`
      WITH gone AS (
        DELETE FROM leases WHERE id IN (SELECT id FROM leases WHERE expires_at < now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
        RETURNING workspace_id, credits
      ), freed AS (
        UPDATE accounts a SET reserved = a.reserved - g.credits
        FROM (SELECT workspace_id, sum(credits) AS credits FROM gone GROUP BY workspace_id) g WHERE a.workspace_id = g.workspace_id
      )
      SELECT count(*) FROM gone`);
    return Number(rows[0]?.count ?? 0);
  }
}
