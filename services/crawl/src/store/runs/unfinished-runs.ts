import type { StoppedWorkspace } from '@tidemark/service';
import type pg from 'pg';

/** Returns the unfinished runs of workspaces, each that was created before `before` if that is given. */
export async function findUnfinishedRuns(
  pool: pg.Pool,
  stopped: readonly StoppedWorkspace[],
): Promise<{ id: string; workspaceId: string }[]> {
  const { rows } = await pool.query<{ id: string; workspaceId: string }>({
    name: 'unfinished-runs-of',
    text: `
      SELECT r.id, r.workspace_id AS "workspaceId" FROM runs r
      JOIN unnest($1::text[], $2::timestamptz[]) AS s(workspace_id, before) USING (workspace_id)
      WHERE NOT r.cleaned_up AND r.status IN ('queued', 'running') AND (s.before IS NULL OR r.created_at < s.before)`,
    values: [stopped.map(({ workspaceId }) => workspaceId), stopped.map(({ before }) => before ?? null)],
  });
  return rows;
}
