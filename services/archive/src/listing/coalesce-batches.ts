import type { ProcessBatch, Step } from './list-run.ts';

/**
 * Shares one batch among concurrent calls for the same run. The key includes the run's status: a batch that started while the run
 * was running never reaches its end.
 */
export function coalesceBatches(process: ProcessBatch): ProcessBatch {
  const inProgress = new Map<string, Promise<Step | undefined>>();
  return (run) => {
    const key = `${run.no} ${run.status}`;
    const known = inProgress.get(key);
    if (known !== undefined) return known;
    const batch = process(run).finally(() => inProgress.delete(key));
    inProgress.set(key, batch);
    return batch;
  };
}
