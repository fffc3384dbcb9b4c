import { type Caller, projectLimitOf } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, type ActiveJobRow, toActivity } from '@tidemark/jobs';
import type pg from 'pg';

type Reach = Pick<Caller, 'workspaceId' | 'access'>;

/** Reads the unfinished maps that a caller may see, and the depth of the queue of maps. */
export type ActivityOf = (caller: Reach) => Promise<Activity>;

export const makeActivityOf =
  (pool: pg.Pool): ActivityOf =>
  (caller) =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, { workspaceId, access }: Reach): Promise<Activity> {
  const { rows } = await pool.query<ActiveJobRow & { readonly queued: number }>({
    name: 'active-maps',
    text: `
      SELECT id, 'map' AS kind, status, url, project_id, owner, created_at, done, total, count(*) OVER ()::int AS all,
        (count(*) FILTER (WHERE status = 'queued') OVER ())::int AS queued
      FROM jobs WHERE workspace_id = $1 AND status IN ('queued', 'running')
        AND ($2::text[] IS NULL OR project_id = '' OR project_id = ANY($2)) ORDER BY id LIMIT $3`,
    values: [workspaceId, projectLimitOf(access), ACTIVE_JOBS_MAX],
  });
  const { all = 0, queued = 0 } = rows[0] ?? {};
  return toActivity(rows, [{ queue: 'maps', priority: 'interactive', queued, running: all - queued }]);
}
