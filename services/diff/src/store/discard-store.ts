import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type pg from 'pg';

/** Tables with rows of a project other than its records, and their conditions: `$1` project, `$2` workspace. */
const PROJECT_TABLES = [
  // First: deleting the row waits for a running job and invalidates its result.
  ['volatility_jobs', 'project_id = $1'],
  ['entries', 'workspace_id = $2 AND project_id = $1'],
  ['ignored_blocks', 'workspace_id = $2 AND project_id = $1'],
  ['reviews', 'project_id = $1'],
  ['known_pages', 'project_id = $1'],
  ['aliases', 'project_id = $1'],
  ['anchors', 'project_id = $1'],
  ['templates', 'project_id = $1'],
  ['recaptured_pages', 'project_id = $1'],
  ['broken_runs', 'project_id = $1'],
] as const;

/** Keeps each statement well below the statement timeout. */
const BATCH_SIZE = 10_000;
/** Retention of tombstones; run events of a deleted project arrive earlier. */
const TOMBSTONE_DAYS = 30;

/**
 * Deletes the data of discarded runs and deleted projects. Deletes records first: a builder about to commit is waited
 * for, and its rows are deleted with the rest; one that commits later finds no record and rolls back.
 */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Deletes the records of discarded runs; the known pages of the project remain. Idempotent. */
  async discardRuns(runs: readonly RunDiscarded[]): Promise<void> {
    for (const { runId, workspaceId } of runs) {
      await this.#pool.query({
        name: 'discard-record',
        text: 'DELETE FROM records WHERE run_id = $1 AND workspace_id = $2',
        values: [runId, workspaceId],
      });
      for (const table of ['volatility_jobs', 'entries', 'ignored_blocks', 'broken_runs'])
        await this.#deleteInBatches(table, 'run_id = $1 AND workspace_id = $2', [runId, workspaceId]);
    }
  }

  /** Deletes everything of deleted projects and writes tombstones that reject their runs. Idempotent. */
  async discardProjects(projects: readonly ProjectDeleted[]): Promise<void> {
    for (const { projectId, workspaceId } of projects) {
      await this.#pool.query({
        name: 'note-deleted-project',
        text: 'INSERT INTO deleted_projects (project_id) VALUES ($1) ON CONFLICT DO NOTHING',
        values: [projectId],
      });
      await this.#pool.query({
        name: 'discard-records-of-project',
        text: 'DELETE FROM records WHERE workspace_id = $2 AND project_id = $1',
        values: [projectId, workspaceId],
      });
      for (const [table, where] of PROJECT_TABLES) {
        const values = where.includes('$2') ? [projectId, workspaceId] : [projectId];
        await this.#deleteInBatches(table, where, values);
      }
    }
  }

  /** Deletes readings of abandoned claims and expired tombstones. */
  async sweep(isRunning: () => boolean): Promise<void> {
    const isAbandoned = 'NOT EXISTS (SELECT FROM records r WHERE r.run_id = t.run_id AND r.owner = t.owner)';
    await this.#deleteInBatches('readings', isAbandoned, [], isRunning);
    const isExpired = `deleted_at < now() - interval '${TOMBSTONE_DAYS} days'`;
    await this.#deleteInBatches('deleted_projects', isExpired, [], isRunning);
  }

  async #deleteInBatches(
    table: string,
    where: string,
    values: readonly string[],
    isRunning: () => boolean = () => true,
  ): Promise<void> {
    const text = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT t.ctid FROM ${table} t WHERE ${where} LIMIT ${BATCH_SIZE}))`;
    while (isRunning()) if (((await this.#pool.query({ text, values: [...values] })).rowCount ?? 0) === 0) return;
  }
}
