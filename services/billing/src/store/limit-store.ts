import type { SetSpendLimit, SpendLimit } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { anyOf, changeRows, column, type Database, listOf, type Params, sql, unnest } from '@tidemark/sql';
import type pg from 'pg';
import { LIMIT_PERIOD } from './buckets.ts';
import { schema, tables } from './tables.ts';

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
      const changed = await changeRows(
        db,
        tables.updateTable('accounts').set({ has_limits: true }).where('workspace_id', '=', workspaceId),
      );
      if (changed === 0) throw new AppError('not_found', 'the workspace has no credit account');
      const removed = limits.filter(({ credits }) => credits === undefined);
      const kept = limits.filter(({ credits }) => credits !== undefined);
      await changeRows(
        db,
        tables
          .deleteFrom('spend_limits')
          .where('workspace_id', '=', workspaceId)
          .where('subject_id', '=', anyOf(removed.map(({ subjectId }) => subjectId))),
      );
      await UPSERT.change(db, {
        workspaceId,
        subjectIds: kept.map(({ subjectId }) => subjectId),
        credits: kept.map(({ credits }) => credits ?? 0),
      });
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
    await REMOVE.change(this.#pool, {
      workspaceIds: subjects.map(({ workspaceId }) => workspaceId),
      subjectIds: subjects.map(({ subjectId }) => subjectId),
    });
  }

  /** Returns the limits of a workspace with what was used of them in the current period. */
  list(workspaceId: string): Promise<SpendLimit[]> {
    return readLimits(this.#pool, workspaceId);
  }
}

interface LimitValues {
  readonly workspaceId: string;
  readonly subjectIds: readonly string[];
  readonly credits: readonly number[];
}

const UPSERT = schema.prepareText(
  'set-limits',
  {},
  ({ workspaceId, subjectIds, credits }: Params<LimitValues>) => sql`
    INSERT INTO spend_limits (workspace_id, subject_id, credits, used, used_since)
    SELECT a.workspace_id, l.subject_id, l.credits, (
        SELECT coalesce(-sum(e.credits), 0) FROM ledger e
        WHERE e.workspace_id = a.workspace_id AND e.created_at >= a.since AND e.credits < 0 AND l.subject_id IN (e.actor_id, e.project_id)), a.since
    FROM unnest(${subjectIds}::text[], ${credits}::bigint[]) AS l(subject_id, credits)
    CROSS JOIN (SELECT workspace_id, ${LIMIT_PERIOD} AS since FROM accounts WHERE workspace_id = ${workspaceId}) a
    ON CONFLICT (workspace_id, subject_id) DO UPDATE SET credits = excluded.credits`,
);

const REMOVE = schema.prepare(
  'remove-limits',
  (values: Params<{ readonly workspaceIds: readonly string[]; readonly subjectIds: readonly string[] }>) =>
    tables
      .deleteFrom('spend_limits as s')
      .using(
        unnest('x', {
          workspace_id: listOf(values.workspaceIds, 'text'),
          subject_id: listOf(values.subjectIds, 'text'),
        }),
      )
      .whereRef('s.workspace_id', '=', 'x.workspace_id')
      .whereRef('s.subject_id', '=', 'x.subject_id'),
);

const LIST = schema.prepareText(
  'list-limits',
  { subjectId: column('text'), credits: column('int8'), used: column('int8') },
  ({ workspaceId }: Params<{ readonly workspaceId: string }>) => sql`
    SELECT s.subject_id AS "subjectId", s.credits, CASE WHEN s.used_since = ${LIMIT_PERIOD} THEN s.used ELSE 0 END AS used
    FROM spend_limits s JOIN accounts USING (workspace_id) WHERE s.workspace_id = ${workspaceId} ORDER BY s.subject_id`,
);

async function readLimits(db: Database, workspaceId: string): Promise<SpendLimit[]> {
  const rows = await LIST.rows(db, { workspaceId });
  return rows.map(({ subjectId, credits, used }) => ({ subjectId, credits: Number(credits), used: Number(used) }));
}
