import type { Spend, StatementResponse } from '@tidemark/contracts/billing/v1/billing';
import type pg from 'pg';

const MAX_CHARGES = 50;

/** Reads the months of workspaces: what they spent, by kind, and the charges behind it. Months are UTC. */
export class StatementViews {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the spend of these workspaces, as far as `payerId` pays for them. */
  async spends(payerId: string, workspaceIds: readonly string[], now: Date): Promise<Spend[]> {
    const { rows } = await this.#pool.query<SpendRow>({
      name: 'spends',
      text: `${SPEND} WHERE a.workspace_id = ANY($2) AND a.payer_id = $3`,
      values: [monthOf(now).startsAt, workspaceIds, payerId],
    });
    return rows.map(toSpend);
  }

  /** Returns the currency of the subscription of a workspace; undefined: it has none. */
  async currencyOf(workspaceId: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ currency: string }>(
      `SELECT currency FROM subscriptions WHERE workspace_id = $1 AND state IN ('active', 'past_due')`,
      [workspaceId],
    );
    return rows[0]?.currency;
  }

  /** Returns the current month of a workspace. */
  async statement(workspaceId: string, now: Date): Promise<StatementResponse> {
    const { startsAt, endsAt } = monthOf(now);
    const [spend, kinds, charges] = await Promise.all([
      this.#pool.query<SpendRow>({
        name: 'spend',
        text: `${SPEND} WHERE a.workspace_id = $2`,
        values: [startsAt, workspaceId],
      }),
      this.#pool.query<{ kind: string; pages: string; credits: string }>({
        name: 'spend-by-kind',
        text: `SELECT kind, sum(pages) AS pages, sum(credits) AS credits FROM usage_days WHERE workspace_id = $2 AND day >= $1
          GROUP BY kind ORDER BY sum(credits) DESC, kind`,
        values: [startsAt, workspaceId],
      }),
      this.#pool.query<{ at: Date; kind: string; ref: string; credits: number; actorId: string }>({
        name: 'latest-charges',
        text: `SELECT created_at AS at, kind, ref, (-credits)::int AS credits, actor_id AS "actorId" FROM ledger
          WHERE workspace_id = $2 AND created_at >= $1 AND credits < 0 ORDER BY created_at DESC, id DESC LIMIT ${MAX_CHARGES}`,
        values: [startsAt, workspaceId],
      }),
    ]);
    const byKind = kinds.rows.map(({ kind, pages, credits }) => ({
      kind,
      pages: Number(pages),
      credits: Number(credits),
    }));
    const [own] = spend.rows.map(toSpend);
    return { startsAt, endsAt, month: own?.month ?? 0, byKind, charges: charges.rows, reserved: own?.reserved ?? 0 };
  }
}

interface SpendRow {
  readonly id: string;
  readonly month: string;
  readonly reserved: string;
}

const SPEND = `
  SELECT a.workspace_id AS id, a.reserved,
    (SELECT coalesce(sum(u.credits), 0) FROM usage_days u WHERE u.workspace_id = a.workspace_id AND u.day >= $1) AS month
  FROM accounts a`;

const toSpend = ({ id, month, reserved }: SpendRow): Spend => ({
  workspaceId: id,
  month: Number(month),
  reserved: Number(reserved),
});

const monthOf = (now: Date) => ({
  startsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
  endsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
});
