import type { StoppedWorkspace } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';

const UNFINISHED = schema.prepareText(
  'unfinished-runs-of',
  { id: column('text'), workspaceId: column('text') },
  ({
    workspaceIds,
    before,
  }: Params<{ readonly workspaceIds: readonly string[]; readonly before: readonly (Date | null)[] }>) => sql`
  SELECT r.id, r.workspace_id AS "workspaceId" FROM runs r
  JOIN unnest(${workspaceIds}::text[], ${before}::timestamptz[]) AS s(workspace_id, before) USING (workspace_id)
  WHERE NOT r.cleaned_up AND r.status IN ('queued', 'running') AND (s.before IS NULL OR r.created_at < s.before)`,
);

/** Returns the unfinished runs of workspaces, each that was created before `before` if that is given. */
export async function findUnfinishedRuns(
  pool: pg.Pool,
  stopped: readonly StoppedWorkspace[],
): Promise<{ id: string; workspaceId: string }[]> {
  const rows = await UNFINISHED.rows(pool, {
    workspaceIds: stopped.map(({ workspaceId }) => workspaceId),
    before: stopped.map(({ before }) => before ?? null),
  });
  return rows;
}
