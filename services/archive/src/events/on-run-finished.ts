import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { RunStore } from '../store/run-store.ts';
import type { WakeRuns } from './wake-runs.ts';

/** Records ended runs, and starts the rest of their listing. Safe to repeat. */
export type OnRunFinished = (events: readonly RunFinished[]) => Promise<void>;

export function makeOnRunFinished({
  runs,
  wakeRuns,
}: {
  readonly runs: Pick<RunStore, 'recordFinished'>;
  readonly wakeRuns: WakeRuns;
}): OnRunFinished {
  return async (events) => {
    await runs.recordFinished(events);
    wakeRuns(events);
  };
}
