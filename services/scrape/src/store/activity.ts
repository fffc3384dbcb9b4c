import { actorLimitOf, type Caller } from '@tidemark/contracts';
import type { Activity, Priority } from '@tidemark/contracts/activity/v1/activity';
import { ACTIVE_JOBS_MAX, toActivity } from '@tidemark/jobs';
import { column, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { JobKind } from '../domain/job.ts';
import { schema } from './tables.ts';

interface Reach {
  readonly workspaceId: string;
  /** Null: every actor. */
  readonly actorId: string | null;
}

const JOBS = schema.prepareText(
  'active-jobs',
  {
    id: column('text'),
    kind: stateOf<JobKind>(),
    status: stateOf<'queued' | 'running'>(),
    url: column('text'),
    project_id: nullable('text'),
    owner: nullable('text'),
    created_at: column('timestamptz'),
    done: column('int4'),
    total: column('int4'),
    all: column('int4'),
  },
  ({ workspaceId, actorId }: Params<Reach>) => sql`
    SELECT id, kind, status, url, NULL::text AS project_id, owner, created_at, pages AS done, total, count(*) OVER ()::int AS all
    FROM jobs WHERE workspace_id = ${workspaceId} AND status IN ('queued', 'running') AND (${actorId}::text IS NULL OR actor_id = ${actorId})
    ORDER BY id LIMIT ${sql.lit(ACTIVE_JOBS_MAX)}`,
);

const DEPTHS = schema.prepareText(
  'active-pages',
  { priority: stateOf<Priority>(), queued: column('int4'), running: column('int4') },
  ({ workspaceId, actorId }: Params<Reach>) => sql`
    SELECT 'interactive' AS priority, (count(*) FILTER (WHERE status = 'queued'))::int AS queued,
      (count(*) FILTER (WHERE status = 'running'))::int AS running
    FROM jobs WHERE workspace_id = ${workspaceId} AND status IN ('queued', 'running') AND kind <> 'batch'
      AND (${actorId}::text IS NULL OR actor_id = ${actorId})
    UNION ALL
    SELECT 'batch', (count(*) FILTER (WHERE p.status = 'queued'))::int, (count(*) FILTER (WHERE p.status = 'running'))::int
    FROM jobs j JOIN batch_pages p ON p.job_id = j.id
    WHERE j.workspace_id = ${workspaceId} AND j.status IN ('queued', 'running') AND j.kind = 'batch' AND p.status IN ('queued', 'running')
      AND (${actorId}::text IS NULL OR j.actor_id = ${actorId})`,
);

/** Makes a function that reads the unfinished jobs that a caller may reach, and the depths of its queues of single pages and of batch pages. */
export const makeActivityOf =
  (pool: pg.Pool) =>
  (caller: Caller): Promise<Activity> =>
    activityOf(pool, caller);

async function activityOf(pool: pg.Pool, caller: Caller): Promise<Activity> {
  const reach = { workspaceId: caller.workspaceId, actorId: actorLimitOf(caller) ?? null };
  const [jobs, depths] = await Promise.all([JOBS.rows(pool, reach), DEPTHS.rows(pool, reach)]);
  return toActivity(
    jobs,
    depths.map((depth) => ({ queue: 'pages' as const, ...depth })),
  );
}
