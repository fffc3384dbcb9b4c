import type { Caller } from '@tidemark/contracts';
import type { Activity, Priority } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, type ActiveJobRow, toActivity } from '@tidemark/jobs';
import type pg from 'pg';

/** Makes a function that reads the unfinished jobs of a workspace, and the depths of its queues of single pages and of batch pages. */
export const makeActivityOf =
  (pool: pg.Pool) =>
  (caller: Pick<Caller, 'workspaceId'>): Promise<Activity> =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, { workspaceId }: Pick<Caller, 'workspaceId'>): Promise<Activity> {
  const [jobs, batches] = await Promise.all([
    pool.query<ActiveJobRow>({
      name: 'active-jobs',
      text: `
        SELECT id, kind, status, url, NULL AS project_id, owner, created_at, pages AS done, total, count(*) OVER ()::int AS all
        FROM jobs WHERE workspace_id = $1 AND status IN ('queued', 'running') ORDER BY id LIMIT $2`,
      values: [workspaceId, ACTIVE_JOBS_MAX],
    }),
    pool.query<{ priority: Priority; queued: number; running: number }>({
      name: 'active-pages',
      text: `
        SELECT 'interactive' AS priority, (count(*) FILTER (WHERE status = 'queued'))::int AS queued,
          (count(*) FILTER (WHERE status = 'running'))::int AS running
        FROM jobs WHERE workspace_id = $1 AND status IN ('queued', 'running') AND kind <> 'batch'
        UNION ALL
        SELECT 'batch', (count(*) FILTER (WHERE p.status = 'queued'))::int, (count(*) FILTER (WHERE p.status = 'running'))::int
        FROM jobs j JOIN batch_pages p ON p.job_id = j.id
        WHERE j.workspace_id = $1 AND j.status IN ('queued', 'running') AND j.kind = 'batch' AND p.status IN ('queued', 'running')`,
      values: [workspaceId],
    }),
  ]);
  return toActivity(
    jobs.rows,
    batches.rows.map((depth) => ({ queue: 'pages' as const, ...depth })),
  );
}
