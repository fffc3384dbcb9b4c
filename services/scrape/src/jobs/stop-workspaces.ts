import { deleteWorkspaceRows, type StoppedWorkspace } from '@tidemark/service';
import type pg from 'pg';
import type { JobStore } from '../store/job-store.ts';

interface Deps {
  readonly jobs: Pick<JobStore, 'unfinishedOf'>;
  readonly cancelJob: (workspaceId: string, id: string) => Promise<unknown>;
}

/** Cancels the unfinished jobs of suspended and deleted workspaces, as their owner would. */
export function makeStopWorkspaces({ jobs, cancelJob }: Deps) {
  return async (workspaces: readonly StoppedWorkspace[]): Promise<void> => {
    for (const { id, workspaceId } of await jobs.unfinishedOf(workspaces)) await cancelJob(workspaceId, id);
  };
}

/** Deletes the jobs, saved logins and idempotency keys of a deleted workspace. Pages of a batch are deleted before it: they have no index of their own. */
export function makeDeleteWorkspaceData(pool: pg.Pool) {
  return async (workspaceId: string): Promise<void> => {
    await pool.query('DELETE FROM batch_pages WHERE job_id IN (SELECT id FROM jobs WHERE workspace_id = $1)', [
      workspaceId,
    ]);
    await deleteWorkspaceRows(pool, workspaceId, { except: ['batch_pages'] });
  };
}
