import type { StoppedWorkspace } from '@tidemark/service';
import type pg from 'pg';
import type { CallOff } from '../orchestrate/end/call-off.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { findUnfinishedRuns } from '../store/runs/unfinished-runs.ts';

interface Deps {
  readonly pool: pg.Pool;
  readonly runs: Pick<RunStore, 'cancel'>;
  readonly callOff: Pick<CallOff, 'run'>;
  readonly wake: (runId: string) => void;
  readonly claimRuns: () => void;
}

/** Cancels the unfinished runs of suspended and deleted workspaces, as their owner would. */
export function makeStopWorkspaces({ pool, runs, callOff, wake, claimRuns }: Deps) {
  return async (workspaces: readonly StoppedWorkspace[]): Promise<void> => {
    const unfinished = await findUnfinishedRuns(pool, workspaces);
    for (const { id, workspaceId } of unfinished) {
      await runs.cancel(workspaceId, id, 'its workspace was suspended or deleted');
      await callOff.run(id);
      wake(id);
    }
    if (unfinished.length > 0) claimRuns();
  };
}
