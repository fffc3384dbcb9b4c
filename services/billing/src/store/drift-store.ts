import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/** Accounts per statement. */
const BATCH = 200;

/** An account that breaks an invariant of the ledger. */
export interface Drift {
  readonly workspaceId: string;
  /** allowance, welcome, purchased, overage, reserved, limit: not the sum of their entries; negative: a bucket below zero. */
  readonly broken: readonly string[];
}

/**
 * Compares accounts with the ledger and the open leases. One statement sees one snapshot, in which every committed change is in the account and
 * in the ledger. Purchased credits are negative after a refund alone.
 */
const COMPARE = `
  SELECT a.workspace_id AS "workspaceId", array_remove(ARRAY[
    CASE WHEN a.payer_id IS NULL AND a.allowance_left <> l.allowance THEN 'allowance' END,
    CASE WHEN a.payer_id IS NULL AND a.welcome_left <> l.welcome THEN 'welcome' END,
    CASE WHEN a.payer_id IS NULL AND a.purchased_left <> l.purchased THEN 'purchased' END,
    CASE WHEN a.payer_id IS NULL AND a.overage_used <> -l.overage THEN 'overage' END,
    CASE WHEN a.reserved <> r.reserved THEN 'reserved' END,
    CASE WHEN EXISTS (SELECT 1 FROM spend_limits s WHERE s.workspace_id = a.workspace_id AND s.used < 0) THEN 'limit' END,
    CASE WHEN least(a.allowance_left, a.welcome_left, a.overage_used, a.reserved) < 0 OR (a.purchased_left < 0 AND l.refunds = 0) THEN 'negative' END
  ], NULL) AS broken
  FROM (SELECT * FROM accounts WHERE workspace_id > $1 ORDER BY workspace_id LIMIT ${BATCH}) a
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.allowance), 0) AS allowance, coalesce(sum(e.welcome), 0) AS welcome, coalesce(sum(e.purchased), 0) AS purchased,
      coalesce(sum(e.overage), 0) AS overage, count(*) FILTER (WHERE e.kind = 'refund') AS refunds
    FROM ledger e WHERE a.payer_id IS NULL AND e.workspace_id = ANY (
      ARRAY(SELECT a.workspace_id UNION ALL SELECT c.workspace_id FROM accounts c WHERE c.payer_id = a.workspace_id)
    ) AND coalesce(e.payer_id, e.workspace_id) = a.workspace_id
  ) l
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.credits), 0) AS reserved FROM leases x WHERE x.workspace_id = a.workspace_id
      OR x.workspace_id IN (SELECT c.workspace_id FROM accounts c WHERE c.payer_id = a.workspace_id)
  ) r ORDER BY a.workspace_id`;

/** Compares all accounts with the ledger, by one instance at a time. */
export class DriftStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Claims the next batch of accounts if a comparison is due, by a row lock that ends with the transaction, compares them and stores how many break an invariant. A comparison continues
   * after the account where an instance that died has stopped.
   * @returns the accounts that break an invariant; undefined: nothing is due
   */
  compareNext(everySeconds: number): Promise<readonly Drift[] | undefined> {
    return inTransaction(this.#pool, async (db) => {
      await db.query(`INSERT INTO ledger_checks (name) VALUES ('accounts') ON CONFLICT DO NOTHING`);
      const { rows } = await db.query<{ cursor: string }>(
        `SELECT cursor FROM ledger_checks WHERE name = 'accounts' AND due_at <= now() FOR UPDATE SKIP LOCKED`,
      );
      if (rows[0] === undefined) return undefined;
      const compared = await db.query<Drift>({ name: 'compare-ledger', text: COMPARE, values: [rows[0].cursor] });
      const drifts = compared.rows.filter(({ broken }) => broken.length > 0);
      const isLast = compared.rows.length < BATCH;
      await db.query(
        `UPDATE ledger_checks SET cursor = $1, found = found + $2,
           drift = CASE WHEN $3::boolean THEN found + $2 ELSE drift END, checked_at = CASE WHEN $3::boolean THEN now() ELSE checked_at END,
           due_at = CASE WHEN $3::boolean THEN now() + make_interval(secs => $4) ELSE due_at END WHERE name = 'accounts'`,
        [isLast ? '' : (compared.rows.at(-1)?.workspaceId ?? ''), drifts.length, isLast, everySeconds],
      );
      if (isLast) await db.query(`UPDATE ledger_checks SET found = 0 WHERE name = 'accounts'`);
      return drifts;
    });
  }

  /** Returns how many accounts broke an invariant in the last complete comparison; undefined: none was completed. */
  async drift(): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ drift: number }>(
      `SELECT drift FROM ledger_checks WHERE name = 'accounts' AND checked_at IS NOT NULL`,
    );
    return rows[0]?.drift;
  }
}
