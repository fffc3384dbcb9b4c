import type { SetSpendLimit, SpendLimit } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { LIMIT_PERIOD } from './buckets.ts';

/** Maximum spend limits of a workspace. */
const MAX_LIMITS = 500;

/** Limits of what keys, people and projects spend in a period. Leases are granted within them. */
export class LimitStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Sets and removes limits, and writes `outgoing` events. What was spent in the current period counts. Holds the lock of the account, so that
   * no lease and no charge is under way. @throws AppError not_found, conflict above 500 limits
   */
  set(
    workspaceId: string,
    limits: readonly SetSpendLimit[],
    outgoing: readonly OutgoingEvent[] = [],
  ): Promise<SpendLimit[]> {
    return inTransaction(this.#pool, async (db) => {
      const { rowCount } = await db.query(
        'UPDATE accounts SET has_limits = true WHERE workspace_id = $1 RETURNING workspace_id',
        [workspaceId],
      );
      if (rowCount === 0) throw new AppError('not_found', 'the workspace has no credit account');
      const removed = limits.filter(({ credits }) => credits === undefined);
      const kept = limits.filter(({ credits }) => credits !== undefined);
      await db.query('DELETE FROM spend_limits WHERE workspace_id = $1 AND subject_id = ANY($2)', [
        workspaceId,
        removed.map(({ subjectId }) => subjectId),
      ]);
      await db.query(UPSERT, [
        workspaceId,
        kept.map(({ subjectId }) => subjectId),
        kept.map(({ credits }) => credits ?? 0),
      ]);
      await writeEvents(db, outgoing);
      const stored = await readLimits(db, workspaceId);
      if (stored.length > MAX_LIMITS)
        throw new AppError(
          'conflict',
          `a workspace has at most ${MAX_LIMITS} spend limits; remove some by setting their credits to null`,
        );
      return stored;
    });
  }

  /** Deletes the limits of keys, people and projects that are gone. Safe to repeat. */
  async remove(subjects: readonly { readonly workspaceId: string; readonly subjectId: string }[]): Promise<void> {
    await this.#pool.query({
      name: 'remove-limits',
      text: `DELETE FROM spend_limits s USING unnest($1::text[], $2::text[]) AS x(workspace_id, subject_id)
        WHERE s.workspace_id = x.workspace_id AND s.subject_id = x.subject_id`,
      values: [subjects.map(({ workspaceId }) => workspaceId), subjects.map(({ subjectId }) => subjectId)],
    });
  }

  /** Returns the limits of a workspace with what was used of them in the current period. */
  list(workspaceId: string): Promise<SpendLimit[]> {
    return readLimits(this.#pool, workspaceId);
  }
}

const UPSERT = `
  INSERT INTO spend_limits (workspace_id, subject_id, credits, used, used_since)
  SELECT a.workspace_id, l.subject_id, l.credits, (
      SELECT coalesce(-sum(e.credits), 0) FROM ledger e
      WHERE e.workspace_id = a.workspace_id AND e.created_at >= a.since AND e.credits < 0 AND l.subject_id IN (e.actor_id, e.project_id)), a.since
  FROM unnest($2::text[], $3::bigint[]) AS l(subject_id, credits)
  CROSS JOIN (SELECT workspace_id, ${LIMIT_PERIOD} AS since FROM accounts WHERE workspace_id = $1) a
  ON CONFLICT (workspace_id, subject_id) DO UPDATE SET credits = excluded.credits`;

async function readLimits(db: pg.Pool | pg.PoolClient, workspaceId: string): Promise<SpendLimit[]> {
  const { rows } = await db.query<{ subjectId: string; credits: string; used: string }>({
    name: 'list-limits',
    text: `SELECT s.subject_id AS "subjectId", s.credits, CASE WHEN s.used_since = ${LIMIT_PERIOD} THEN s.used ELSE 0 END AS used
      FROM spend_limits s JOIN accounts USING (workspace_id) WHERE s.workspace_id = $1 ORDER BY s.subject_id`,
    values: [workspaceId],
  });
  return rows.map(({ subjectId, credits, used }) => ({ subjectId, credits: Number(credits), used: Number(used) }));
}
