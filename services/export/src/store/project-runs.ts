import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import { anyOf, changeRows, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Destination } from '../domain/destination.ts';
import { SYNC_TRANSITIONS, type SyncFailure } from '../domain/sync.ts';
import { schema, tables } from './tables.ts';

/** A full run of a project that is done and read pages. */
export interface ProjectRun {
  readonly projectId: string;
  readonly runId: string;
  readonly finishedAt: Date;
}

const RECORD = schema.prepare(
  'record-project-run',
  ({ projectId, workspaceId, runId, finishedAt }: Params<ProjectRun & { readonly workspaceId: string }>) =>
    tables
      .insertInto('project_runs')
      .values({ project_id: projectId, workspace_id: workspaceId, run_id: runId, finished_at: finishedAt })
      .onConflict((conflict) =>
        conflict
          .column('project_id')
          .doUpdateSet(({ ref }) => ({ run_id: ref('excluded.run_id'), finished_at: ref('excluded.finished_at') }))
          .whereRef('project_runs.finished_at', '<', 'excluded.finished_at'),
      ),
);

/** Records the newest full run of a project; an older one changes nothing. */
export async function recordProjectRun(client: pg.PoolClient, workspaceId: string, run: ProjectRun): Promise<void> {
  await RECORD.change(client, { ...run, workspaceId });
}

/** Returns the newest full runs of the projects of a destination; with `ofProjectId`, of this project alone. */
export function newestRuns(
  pool: pg.Pool,
  { workspaceId, scope, projects }: Pick<Destination, 'workspaceId' | 'scope' | 'projects'>,
  ofProjectId: string | undefined,
): Promise<ProjectRun[]> {
  return selectRows(
    pool,
    tables
      .selectFrom('project_runs')
      .select(['project_id as projectId', 'run_id as runId', 'finished_at as finishedAt'])
      .where('workspace_id', '=', workspaceId)
      .$if(scope !== 'all', (runs) => runs.where('project_id', '=', anyOf(projects)))
      .$if(ofProjectId !== undefined, (runs) => runs.where('project_id', '=', ofProjectId ?? null))
      .orderBy('project_id'),
  );
}

const DELETED: SyncFailure = {
  code: 'not_found',
  message: 'the project was deleted',
  hint: 'There is nothing to write.',
};

/** Deletes what belongs to deleted projects: their own destinations, their places in shared ones, and their waiting syncs. Idempotent. */
export async function deleteProjects(pool: pg.Pool, deleted: readonly ProjectDeleted[]): Promise<void> {
  const ids = deleted.map(({ projectId }) => projectId);
  await changeRows(pool, tables.deleteFrom('project_runs').where('project_id', '=', anyOf(ids)));
  await changeRows(pool, tables.deleteFrom('destinations').where('project_id', '=', anyOf(ids)));
  const remaining = sql<string[]>`ARRAY(SELECT p FROM unnest(projects) AS p WHERE p <> ALL(${ids}::text[]))`;
  await changeRows(
    pool,
    tables.updateTable('destinations').set({ projects: remaining }).where(sql<boolean>`projects && ${ids}::text[]`),
  );
  await changeRows(
    pool,
    tables
      .updateTable('destinations')
      .set({ status: 'paused', paused_reason: 'its projects were deleted' })
      .where('scope', '=', 'projects')
      .where(sql<boolean>`projects = '{}'`)
      .where('status', '=', 'active'),
  );
  await changeRows(
    pool,
    tables
      .updateTable('syncs')
      .set({ status: SYNC_TRANSITIONS.cancel.to, ended_at: sql<Date>`now()`, error: JSON.stringify(DELETED) })
      .where('project_id', '=', anyOf(ids))
      .where('status', '=', 'queued'),
  );
}

const KEPT_DAYS = 90;
const BATCH = 1_000;

/** Deletes syncs that ended long ago. @returns their number, at most a batch */
export function deleteOldSyncs(pool: pg.Pool): Promise<number> {
  const old = tables
    .selectFrom('syncs')
    .select('id')
    .where('ended_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`)
    .limit(sql.lit(BATCH));
  return changeRows(pool, tables.deleteFrom('syncs').where('id', '=', sql<string>`ANY(ARRAY(${old}))`));
}
