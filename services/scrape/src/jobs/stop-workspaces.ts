import type { StoppedWorkspace } from '@tidemark/service';
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
