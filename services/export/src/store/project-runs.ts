import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type pg from 'pg';
import type { Destination } from '../domain/destination.ts';

/** A full run of a project that is done and read pages. */
export interface ProjectRun {
  readonly projectId: string;
  readonly runId: string;
  readonly finishedAt: Date;
}

/** Records the newest full run of a project; an older one changes nothing. */
export async function recordProjectRun(
  client: pg.PoolClient,
  workspaceId: string,
  { projectId, runId, finishedAt }: ProjectRun,
): Promise<void> {
  await client.query({
    name: 'record-project-run',
    text: `
      INSERT INTO project_runs (project_id, workspace_id, run_id, finished_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (project_id) DO UPDATE SET run_id = excluded.run_id, finished_at = excluded.finished_at
      WHERE project_runs.finished_at < excluded.finished_at`,
    values: [projectId, workspaceId, runId, finishedAt],
  });
}

/** Returns the newest full runs of the projects of a destination; with `ofProjectId`, of this project alone. */
export async function newestRuns(
  pool: pg.Pool,
  { workspaceId, scope, projects }: Pick<Destination, 'workspaceId' | 'scope' | 'projects'>,
  ofProjectId: string,
): Promise<ProjectRun[]> {
  const { rows } = await pool.query<ProjectRun>(
    `SELECT project_id AS "projectId", run_id AS "runId", finished_at AS "finishedAt" FROM project_runs
     WHERE workspace_id = $1 AND ($2 OR project_id = ANY($3)) AND ($4 = '' OR project_id = $4) ORDER BY project_id`,
    [workspaceId, scope === 'all', projects, ofProjectId],
  );
  return rows;
}

/** Deletes what belongs to deleted projects: their own destinations, their places in shared ones, and their waiting syncs. Idempotent. */
export async function deleteProjects(pool: pg.Pool, deleted: readonly ProjectDeleted[]): Promise<void> {
  const ids = deleted.map(({ projectId }) => projectId);
  await pool.query('DELETE FROM project_runs WHERE project_id = ANY($1)', [ids]);
  await pool.query('DELETE FROM destinations WHERE project_id = ANY($1)', [ids]);
  await pool.query(
    `UPDATE destinations SET projects = ARRAY(SELECT p FROM unnest(projects) AS p WHERE p <> ALL($1::text[]))
     WHERE projects && $1::text[]`,
    [ids],
  );
  await pool.query(
    `UPDATE destinations SET status = 'paused', paused_reason = 'its projects were deleted'
     WHERE scope = 'projects' AND projects = '{}' AND status = 'active'`,
  );
  await pool.query(
    `UPDATE syncs SET status = 'cancelled', ended_at = now(), error = $2 WHERE project_id = ANY($1) AND status = 'queued'`,
    [
      ids,
      JSON.stringify({ code: 'not_found', message: 'the project was deleted', hint: 'There is nothing to write.' }),
    ],
  );
}

const KEPT_DAYS = 90;
const BATCH = 1_000;

/** Deletes syncs that ended long ago. @returns their number, at most a batch */
export async function deleteOldSyncs(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM syncs WHERE id = ANY(ARRAY(
       SELECT id FROM syncs WHERE ended_at < now() - make_interval(days => ${KEPT_DAYS}) LIMIT ${BATCH}))`,
  );
  return rowCount ?? 0;
}
