import type { StoppedWorkspace } from '@tidemark/service';
import { literals, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { SYNC_TRANSITIONS, type SyncFailure } from '../domain/sync.ts';
import { schema } from './tables.ts';

const { cancel } = SYNC_TRANSITIONS;

const STOPPED: SyncFailure = {
  code: 'invalid',
  message: 'the workspace was suspended or deleted',
  hint: 'Start the sync again when the workspace is active.',
};

interface StoppedLists {
  readonly workspaceIds: readonly string[];
  /** Null: all work. */
  readonly before: readonly (Date | null)[];
  readonly failure: string;
}

const STOP = schema.prepareText(
  'stop-syncs',
  {},
  ({ workspaceIds, before, failure }: Params<StoppedLists>) => sql`
    UPDATE syncs s SET status = ${sql.lit(cancel.to)}, ended_at = now(), owner = NULL, error = ${failure}
    FROM unnest(${workspaceIds}::text[], ${before}::timestamptz[]) AS w(workspace_id, before)
    WHERE s.workspace_id = w.workspace_id AND s.status IN (${literals(cancel.from)}) AND (w.before IS NULL OR s.created_at < w.before)`,
);

/**
 * Cancels the waiting and running syncs of suspended and deleted workspaces, each that was created before `before` if that is given. An instance
 * that runs one stops it at the next renewal of its lease.
 */
export async function stopSyncs(pool: pg.Pool, stopped: readonly StoppedWorkspace[]): Promise<void> {
  await STOP.change(pool, {
    workspaceIds: stopped.map(({ workspaceId }) => workspaceId),
    before: stopped.map(({ before }) => before ?? null),
    failure: JSON.stringify(STOPPED),
  });
}
