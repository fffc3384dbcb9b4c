import { inTransaction } from '@tidemark/service';
import { changeRows, column, type Params, type RowOf, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Accounts that one statement compares. */
const BATCH = 20;
const EVERY_HOURS = 24;
/** An account with a difference is compared again after this. */
const AGAIN_MINUTES = 60;
/** The sums of a large ledger may take longer than a usual statement. */
const WITHIN_MS = 120_000;

const DIFFERENCE_COLUMNS = {
  workspaceId: column('text'),
  /** Column of the account. */
  column: column('text'),
  stored: column('float8'),
  /** The sum of the entries or leases. For a bucket that must not be negative: 0. */
  expected: column('float8'),
};

/** A value of an account that its ledger entries or leases do not explain. */
export type BalanceDifference = RowOf<typeof DIFFERENCE_COLUMNS>;

/**
 * Compares accounts with their ledger entries and leases, with those of their sub-accounts. One statement reads all of them, so that
 * concurrent charges cause no difference.
 */
const COMPARE = schema.prepareText(
  'compare-balances',
  DIFFERENCE_COLUMNS,
  ({ ids }: Params<{ readonly ids: readonly string[] }>) => sql`
  WITH payer AS (
    SELECT * FROM accounts WHERE workspace_id = ANY(${ids}::text[]) AND payer_id IS NULL
  ), member AS (
    SELECT workspace_id AS payer, workspace_id AS id FROM payer
    UNION ALL SELECT payer_id, workspace_id FROM accounts WHERE payer_id = ANY(${ids}::text[])
  ), entry AS (
    SELECT m.payer, sum(l.allowance) AS allowance, sum(l.welcome) AS welcome, sum(l.purchased) AS purchased, -sum(l.overage) AS overage,
      bool_or(l.kind = 'refund') AS has_refund
    FROM member m JOIN ledger l ON l.workspace_id = m.id AND coalesce(l.payer_id, l.workspace_id) = m.payer GROUP BY m.payer
  ), held AS (
    SELECT m.payer, sum(l.credits) AS credits FROM member m JOIN leases l ON l.workspace_id = m.id GROUP BY m.payer
  ), own AS (
    SELECT a.workspace_id, a.reserved, coalesce((SELECT sum(credits) FROM leases l WHERE l.workspace_id = a.workspace_id), 0) AS credits
    FROM accounts a WHERE a.payer_id = ANY(${ids}::text[])
  ), compared AS (
    SELECT p.workspace_id, c.* FROM payer p LEFT JOIN entry e ON e.payer = p.workspace_id LEFT JOIN held h ON h.payer = p.workspace_id
    CROSS JOIN LATERAL (VALUES
      ('allowance_left', p.allowance_left, coalesce(e.allowance, 0), false),
      ('welcome_left', p.welcome_left, coalesce(e.welcome, 0), false),
      ('purchased_left', p.purchased_left, coalesce(e.purchased, 0), coalesce(e.has_refund, false)),
      ('overage_used', p.overage_used, coalesce(e.overage, 0), false),
      ('reserved', p.reserved, coalesce(h.credits, 0), false)) AS c(name, stored, expected, may_be_negative)
    UNION ALL SELECT workspace_id, 'reserved', reserved, credits, false FROM own
  )
  SELECT workspace_id AS "workspaceId", name AS column, stored::float8 AS stored,
    CASE WHEN stored = expected THEN 0 ELSE expected::float8 END AS expected
  FROM compared WHERE stored <> expected OR (stored < 0 AND NOT may_be_negative) ORDER BY 1, 2`,
);

const ADD_ACCOUNTS = schema.prepareText(
  'add-balance-checks',
  {},
  () => sql`
    INSERT INTO balance_checks (workspace_id, due)
    SELECT workspace_id, now() + random() * make_interval(hours => ${sql.lit(EVERY_HOURS)}) FROM accounts a
    WHERE payer_id IS NULL AND NOT EXISTS (SELECT FROM balance_checks c WHERE c.workspace_id = a.workspace_id)
    LIMIT 1000 ON CONFLICT DO NOTHING`,
);

const RECORD = schema.prepareText(
  'record-balance-checks',
  {},
  ({ ids, different }: Params<{ readonly ids: readonly string[]; readonly different: readonly string[] }>) => sql`
    WITH gone AS (
      DELETE FROM balance_checks c
      WHERE workspace_id = ANY(${ids}::text[]) AND NOT EXISTS (SELECT FROM accounts a WHERE a.workspace_id = c.workspace_id)
    ), found AS (
      SELECT coalesce(a.payer_id, a.workspace_id) AS id, count(*)::int AS n
      FROM unnest(${different}::text[]) AS d(id) JOIN accounts a ON a.workspace_id = d.id GROUP BY 1
    )
    UPDATE balance_checks c SET differences = coalesce(f.n, 0),
      due = now() + CASE WHEN f.n > 0 THEN make_interval(mins => ${sql.lit(AGAIN_MINUTES)}) ELSE make_interval(hours => ${sql.lit(EVERY_HOURS)}) END
    FROM unnest(${ids}::text[]) AS x(id) LEFT JOIN found f USING (id) WHERE c.workspace_id = x.id`,
);

/** Stores when accounts are compared with their ledger, and what was found. Each account is compared once a day. */
export class BalanceCheckStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Compares the accounts that are due, at most 20. Several replicas may run it concurrently: an account is compared by one of them.
   * @returns the differences; undefined if no account is due
   */
  async checkSome(): Promise<BalanceDifference[] | undefined> {
    await this.#addAccounts();
    return inTransaction(this.#pool, async (db) => {
      const rows = await selectRows(
        db,
        tables
          .selectFrom('balance_checks')
          .select('workspace_id as id')
          .where('due', '<=', sql<Date>`now()`)
          .orderBy('due')
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      );
      if (rows.length === 0) return undefined;
      const ids = rows.map(({ id }) => id);
      await changeRows(db, sql`SET LOCAL statement_timeout = ${sql.lit(WITHIN_MS)}`);
      const differences = await COMPARE.rows(db, { ids });
      await this.#record(db, ids, differences);
      return differences;
    });
  }

  /** The number of accounts whose last comparison found a difference. */
  async countWithDifferences(): Promise<number> {
    const row = await selectRow(
      this.#pool,
      tables.selectFrom('balance_checks').select(sql<number>`count(*)::int`.as('n')).where('differences', '>', 0),
    );
    return row?.n ?? 0;
  }

  /** New accounts are compared first after a day: each is due at a time of its own. */
  async #addAccounts(): Promise<void> {
    await ADD_ACCOUNTS.change(this.#pool, {});
  }

  async #record(db: pg.PoolClient, ids: readonly string[], differences: readonly BalanceDifference[]): Promise<void> {
    await RECORD.change(db, { ids, different: differences.map(({ workspaceId }) => workspaceId) });
  }
}
