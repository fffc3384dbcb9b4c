import { deleteWorkspaceRows, type StoppedWorkspace } from '@tidemark/service';
import { changeRows } from '@tidemark/sql';
import type pg from 'pg';
import type { JobStore } from '../store/job-store.ts';
import { tables } from '../store/tables.ts';

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
    const jobs = tables.selectFrom('jobs').select('id').where('workspace_id', '=', workspaceId);
    await changeRows(pool, tables.deleteFrom('batch_pages').where('job_id', 'in', jobs));
    await deleteWorkspaceRows(pool, workspaceId, { except: ['batch_pages'] });
  };
}
