import { type Caller, projectLimitOf } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, type ActiveJobRow, toActivity } from '@tidemark/jobs';
import type pg from 'pg';

type Reach = Pick<Caller, 'workspaceId' | 'access'>;

/** Makes a function that reads the unfinished runs that a caller may access, and the number of their queued and dispatched pages. */
export const makeActivityOf =
  (pool: pg.Pool) =>
  (caller: Reach): Promise<Activity> =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, { workspaceId, access }: Reach): Promise<Activity> {
  const { rows } = await pool.query<ActiveJobRow & { readonly queued: number; readonly running: number }>({
    name: 'active-runs',
    text: `
      SELECT id, CASE WHEN trigger = 'recrawl' THEN 'recrawl' ELSE 'crawl' END AS kind,
        CASE WHEN paused THEN 'paused' ELSE status END AS status, seed AS url, project_id, owner, created_at, done, total,
        count(*) OVER ()::int AS all, (sum(queued) OVER ())::int AS queued, (sum(in_flight) OVER ())::int AS running
      FROM runs WHERE workspace_id = $1 AND NOT cleaned_up AND status IN ('queued', 'running')
        AND ($2::text[] IS NULL OR project_id = ANY($2)) ORDER BY no LIMIT $3`,
    values: [workspaceId, projectLimitOf(access), ACTIVE_JOBS_MAX],
  });
  const { queued = 0, running = 0 } = rows[0] ?? {};
  return toActivity(rows, [{ queue: 'pages', priority: 'run', queued, running }]);
}
