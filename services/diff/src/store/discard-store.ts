import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { changeRows, type Database, type Params, type Prepared, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { DB } from '../generated/tables.ts';
import { schema, tables } from './tables.ts';

/** Keeps each statement well below the statement timeout. */
const BATCH_SIZE = 10_000;
/** Retention of tombstones; run events of a deleted project arrive earlier. */
const TOMBSTONE_DAYS = 30;

type RunRef = { readonly runId: string; readonly workspaceId: string };
type ProjectRef = { readonly projectId: string; readonly workspaceId: string };

/** Makes the statement that deletes some rows `t` of a table, at most a batch. */
const prepareDelete = <Values extends object>(
  name: string,
  table: keyof DB,
  where: (values: Params<Values>) => RawBuilder<unknown>,
): Prepared<Values, Record<never, never>> =>
  schema.prepareText(
    name,
    {},
    (values: Params<Values>) => sql`
      DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
        SELECT t.ctid FROM ${sql.table(table)} t WHERE ${where(values)} LIMIT ${sql.lit(BATCH_SIZE)}))`,
  );

const RUN_TABLES = [
  'volatility_jobs',
  'alert_matches',
  'entries',
  'ignored_blocks',
  'word_changes',
  'broken_runs',
] as const;
const DELETE_OF_RUN = RUN_TABLES.map((table) =>
  prepareDelete<RunRef>(
    `discard-run-of-${table}`,
    table,
    ({ runId, workspaceId }) => sql`t.run_id = ${runId} AND t.workspace_id = ${workspaceId}`,
  ),
);

/** Tables with rows of a project other than its records, and whether their index begins with the workspace. */
const PROJECT_TABLES = [
  // First: deleting the row waits for a running job and invalidates its result.
  { table: 'volatility_jobs', isByWorkspace: false },
  { table: 'alert_matches', isByWorkspace: false },
  { table: 'entries', isByWorkspace: true },
  { table: 'ignored_blocks', isByWorkspace: true },
  { table: 'reviews', isByWorkspace: false },
  { table: 'known_pages', isByWorkspace: false },
  { table: 'aliases', isByWorkspace: false },
  { table: 'anchors', isByWorkspace: false },
  { table: 'templates', isByWorkspace: false },
  { table: 'recaptured_pages', isByWorkspace: false },
  { table: 'word_changes', isByWorkspace: false },
  { table: 'page_blames', isByWorkspace: false },
  { table: 'broken_runs', isByWorkspace: false },
] as const;
const DELETE_OF_PROJECT = PROJECT_TABLES.map(({ table, isByWorkspace }) =>
  prepareDelete<ProjectRef>(`discard-project-of-${table}`, table, ({ projectId, workspaceId }) =>
    isByWorkspace
      ? sql`t.workspace_id = ${workspaceId} AND t.project_id = ${projectId}`
      : sql`t.project_id = ${projectId}`,
  ),
);

const DELETE_ABANDONED_READINGS = prepareDelete(
  'delete-abandoned-readings',
  'readings',
  () => sql`NOT EXISTS (SELECT FROM records r WHERE r.run_id = t.run_id AND r.owner = t.owner)`,
);
const DELETE_EXPIRED_TOMBSTONES = prepareDelete(
  'delete-expired-tombstones',
  'deleted_projects',
  () => sql`t.deleted_at < now() - make_interval(days => ${sql.lit(TOMBSTONE_DAYS)})`,
);

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
      await changeRows(
        this.#pool,
        tables.deleteFrom('records').where('run_id', '=', runId).where('workspace_id', '=', workspaceId),
      );
      for (const statement of DELETE_OF_RUN) await deleteInBatches(this.#pool, statement, { runId, workspaceId });
    }
  }

  /** Deletes everything of deleted projects and writes tombstones that reject their runs. Idempotent. */
  async discardProjects(projects: readonly ProjectDeleted[]): Promise<void> {
    for (const { projectId, workspaceId } of projects) {
      await changeRows(
        this.#pool,
        tables
          .insertInto('deleted_projects')
          .values({ project_id: projectId })
          .onConflict((conflict) => conflict.doNothing()),
      );
      await changeRows(
        this.#pool,
        tables.deleteFrom('records').where('workspace_id', '=', workspaceId).where('project_id', '=', projectId),
      );
      for (const statement of DELETE_OF_PROJECT)
        await deleteInBatches(this.#pool, statement, { projectId, workspaceId });
    }
  }

  /** Deletes readings of abandoned claims and expired tombstones. */
  async sweep(isRunning: () => boolean): Promise<void> {
    await deleteInBatches(this.#pool, DELETE_ABANDONED_READINGS, {}, isRunning);
    await deleteInBatches(this.#pool, DELETE_EXPIRED_TOMBSTONES, {}, isRunning);
  }
}

async function deleteInBatches<Values extends object>(
  db: Database,
  statement: Prepared<Values, Record<never, never>>,
  values: Values,
  isRunning: () => boolean = () => true,
): Promise<void> {
  while (isRunning()) if (!(await statement.changesRow(db, values))) return;
}
