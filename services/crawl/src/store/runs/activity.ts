import { actorLimitOf, type Caller, projectLimitOf } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, toActivity } from '@tidemark/jobs';
import { column, literals, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { OPEN_STATES } from '../../domain/run/run-state.ts';
import { schema } from '../tables.ts';

interface ActiveValues {
  readonly workspaceId: string;
  /** Null: all. */
  readonly projects: readonly string[] | null;
  /** Of runs outside projects; null: none where `projects` are given. */
  readonly actorId: string | null;
}

const ACTIVE = schema.prepareText(
  'active-runs',
  {
    id: column('text'),
    kind: stateOf<'crawl' | 'recrawl'>(),
    status: stateOf<'queued' | 'running' | 'paused'>(),
    url: column('text'),
    project_id: nullable('text'),
    owner: nullable('text'),
    created_at: column('timestamptz'),
    done: column('int4'),
    total: column('int4'),
    all: column('int4'),
    queued: column('int4'),
    running: column('int4'),
  },
  ({ workspaceId, projects, actorId }: Params<ActiveValues>) => sql`
    SELECT id, CASE WHEN trigger = 'recrawl' THEN 'recrawl' ELSE 'crawl' END AS kind,
      CASE WHEN paused THEN 'paused' ELSE status END AS status, seed AS url, project_id, owner, created_at, done, total,
      count(*) OVER ()::int AS all, (sum(queued) OVER ())::int AS queued, (sum(in_flight) OVER ())::int AS running
    FROM runs WHERE workspace_id = ${workspaceId} AND NOT cleaned_up AND status IN (${literals(OPEN_STATES)})
      AND (${projects}::text[] IS NULL OR project_id = ANY(${projects}) OR (project_id IS NULL AND actor_id = ${actorId}))
    ORDER BY no LIMIT ${sql.lit(ACTIVE_JOBS_MAX)}`,
);
const NONE = { queued: 0, running: 0 };

/** Makes a function that reads the unfinished runs that a caller may access, and the number of their queued and dispatched pages. */
export const makeActivityOf =
  (pool: pg.Pool) =>
  (caller: Caller): Promise<Activity> =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, caller: Caller): Promise<Activity> {
  const { workspaceId, access } = caller;
  const rows = await ACTIVE.rows(pool, {
    workspaceId,
    projects: projectLimitOf(access) ?? null,
    actorId: actorLimitOf(caller) ?? null,
  });
  const { queued, running } = rows[0] ?? NONE;
  return toActivity(rows, [{ queue: 'pages', priority: 'run', queued, running }]);
}
