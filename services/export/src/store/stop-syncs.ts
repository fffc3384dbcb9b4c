import type { StoppedWorkspace } from '@tidemark/service';
import type pg from 'pg';
import type { SyncFailure } from '../domain/sync.ts';

const STOPPED: SyncFailure = {
  code: 'invalid',
  message: 'the workspace was suspended or deleted',
  hint: 'Start the sync again when the workspace is active.',
};

/**
 * Cancels the waiting and running syncs of suspended and deleted workspaces, each that was created before `before` if that is given. An instance
 * that runs one stops it at the next renewal of its lease.
 */
export async function stopSyncs(pool: pg.Pool, stopped: readonly StoppedWorkspace[]): Promise<void> {
  await pool.query({
    name: 'stop-syncs',
    text: `
      UPDATE syncs s SET status = 'cancelled', ended_at = now(), owner = NULL, error = $3
      FROM unnest($1::text[], $2::timestamptz[]) AS w(workspace_id, before)
      WHERE s.workspace_id = w.workspace_id AND s.status IN ('queued', 'running') AND (w.before IS NULL OR s.created_at < w.before)`,
    values: [
      stopped.map(({ workspaceId }) => workspaceId),
      stopped.map(({ before }) => before ?? null),
      JSON.stringify(STOPPED),
    ],
  });
}
