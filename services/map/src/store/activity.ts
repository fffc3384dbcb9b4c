import { actorLimitOf, type Caller, projectLimitOf } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, toActivity } from '@tidemark/jobs';
import { column, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

interface ActiveValues {
  readonly workspaceId: string;
  /** Undefined: all. */
  readonly projects: readonly string[] | undefined;
  /** With limited projects, maps outside projects are those that this actor started; null: none of them. */
  readonly actorId: string | null;
}

const ACTIVE = schema.prepareText(
  'active-maps',
  {
    id: column('text'),
    kind: stateOf<'map'>(),
    status: stateOf<'queued' | 'running'>(),
    url: column('text'),
    project_id: column('text'),
    owner: nullable('text'),
    created_at: column('timestamptz'),
    done: column('int4'),
    total: column('int4'),
    all: column('int4'),
    queued: column('int4'),
  },
  ({ workspaceId, projects, actorId }: Params<ActiveValues>) => sql`
    SELECT id, 'map' AS kind, status, url, project_id, owner, created_at, done, total, count(*) OVER ()::int AS all,
      (count(*) FILTER (WHERE status = 'queued') OVER ())::int AS queued
    FROM jobs WHERE workspace_id = ${workspaceId} AND status IN ('queued', 'running')
      AND (${projects}::text[] IS NULL OR project_id = ANY(${projects})
        OR (project_id = '' AND actor_id = ${actorId}))
    ORDER BY id LIMIT ${sql.lit(ACTIVE_JOBS_MAX)}`,
);

/** Reads the unfinished maps that a caller may see, and the depth of the queue of maps. */
export type ActivityOf = (caller: Caller) => Promise<Activity>;

export const makeActivityOf =
  (pool: pg.Pool): ActivityOf =>
  (caller) =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, caller: Caller): Promise<Activity> {
  const { workspaceId, access } = caller;
  const actorId = actorLimitOf(caller) ?? null;
  const rows = await ACTIVE.rows(pool, { workspaceId, projects: projectLimitOf(access), actorId });
  const { all = 0, queued = 0 } = rows[0] ?? {};
  return toActivity(rows, [{ queue: 'maps', priority: 'interactive', queued, running: all - queued }]);
}
