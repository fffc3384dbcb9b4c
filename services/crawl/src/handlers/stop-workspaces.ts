import type { StoppedWorkspace } from '@tidemark/service';
import type { CallOff } from '../orchestrate/end/call-off.ts';
import type { RunStore } from '../store/runs/run-store.ts';

interface Deps {
  readonly runs: Pick<RunStore, 'unfinishedOf' | 'cancel'>;
  readonly callOff: Pick<CallOff, 'run'>;
  readonly wake: (runId: string) => void;
  readonly claimRuns: () => void;
}

/** Cancels the unfinished runs of suspended and deleted workspaces, as their owner would. */
export function makeStopWorkspaces({ runs, callOff, wake, claimRuns }: Deps) {
  return async (workspaces: readonly StoppedWorkspace[]): Promise<void> => {
    const unfinished = await runs.unfinishedOf(workspaces);
    for (const { id, workspaceId } of unfinished) {
      await runs.cancel(workspaceId, id, 'its workspace was suspended or deleted');
      await callOff.run(id);
      wake(id);
    }
    if (unfinished.length > 0) claimRuns();
  };
}
