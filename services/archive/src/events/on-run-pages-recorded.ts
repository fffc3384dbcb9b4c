import type { RunPagesRecorded } from '@tidemark/contracts/crawl/v1/events';
import type { RecordedPageStore } from '../store/recorded-page-store.ts';
import type { WakeRuns } from './wake-runs.ts';

/** Stores pages of runs as crawl recorded them, and starts their listing. Safe to repeat. */
export type OnRunPagesRecorded = (events: readonly RunPagesRecorded[]) => Promise<void>;

export function makeOnRunPagesRecorded({
  recorded,
  wakeRuns,
}: {
  readonly recorded: Pick<RecordedPageStore, 'record'>;
  readonly wakeRuns: WakeRuns;
}): OnRunPagesRecorded {
  return async (events) => {
    await recorded.record(events);
    wakeRuns(events);
  };
}
