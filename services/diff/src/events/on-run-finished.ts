import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { RecordWorkers } from '../records/open-record-workers.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Adds the records of finished runs to the queue and wakes the workers. Safe to repeat. */
export type OnRunFinished = (runs: readonly RunFinished[]) => Promise<void>;

export function makeOnRunFinished({
  records,
  workers,
}: {
  readonly records: Pick<RecordStore, 'enqueue'>;
  readonly workers: Pick<RecordWorkers, 'wake'>;
}): OnRunFinished {
  return async (runs) => {
    await records.enqueue(runs);
    workers.wake();
  };
}
