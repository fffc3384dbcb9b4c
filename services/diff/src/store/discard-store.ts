import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type pg from 'pg';

/** Tables that hold something of a project beside its records, and how its rows are named there: `$1` the project, `$2` its workspace. */
const PROJECT_TABLES = [
  // First: what is learned of them ends with the row, and one that is being learned from is waited for.
  ['volatility_jobs', 'project_id = $1'],
  ['entries', 'workspace_id = $2 AND project_id = $1'],
  ['reviews', 'project_id = $1'],
  ['known_pages', 'project_id = $1'],
  ['aliases', 'project_id = $1'],
  ['anchors', 'project_id = $1'],
  ['templates', 'project_id = $1'],
  ['recaptured_pages', 'project_id = $1'],
  ['broken_runs', 'project_id = $1'],
] as const;

/** A statement has half a minute. */
const BATCH_SIZE = 10_000;
/** A run of a project that was deleted this long ago is not heard of any more. */
const TOMBSTONE_DAYS = 30;

/**
 * Throws away what is kept of runs and projects that are gone. Records go first, by themselves: a maker that is about to commit is waited
 * for, and what it wrote goes with the rest; one that comes to its end later finds no record and keeps nothing.
 */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The records of discarded runs go; what is known of their pages stays with the project. Safe to repeat. */
  async discardRuns(runs: readonly RunDiscarded[]): Promise<void> {
    for (const { runId, workspaceId } of runs) {
      await this.#pool.query({
        name: 'discard-record',
        text: 'DELETE FROM records WHERE run_id = $1 AND workspace_id = $2',
        values: [runId, workspaceId],
      });
      for (const table of ['volatility_jobs', 'entries', 'broken_runs'])
        await this.#deleteInBatches(table, 'run_id = $1 AND workspace_id = $2', [runId, workspaceId]);
    }
  }

  /** Nothing stays of deleted projects, and no run of them is taken on any more. Safe to repeat. */
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

  /** Drops what makers that died had gathered, and forgets projects that were deleted long ago. */
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
