import type { ListedRun } from '../domain/listed-run.ts';
import type { Step } from './list-run.ts';

/**
 * Steps along a run's pages as they are; whoever asks for one while it is under way here waits for that one. Not who knows that the run has
 * ended for one of who does not: such a step never comes to the run's end.
 */
export function coalesceBatches(some: (run: ListedRun) => Promise<Step | undefined>): typeof some {
  const inProgress = new Map<string, Promise<Step | undefined>>();
  return (run) => {
    const key = `${run.no} ${run.status}`;
    const known = inProgress.get(key);
    if (known !== undefined) return known;
    const batch = some(run).finally(() => inProgress.delete(key));
    inProgress.set(key, batch);
    return batch;
  };
}
