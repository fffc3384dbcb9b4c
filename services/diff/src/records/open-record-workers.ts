import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { RecordBuilder } from './record-builder.ts';

export interface RecordWorkersDeps {
  readonly builder: RecordBuilder;
  /** Number of workers. */
  readonly maxConcurrentRecords: number;
  readonly pollSeconds: number;
  readonly log: Logger;
}

/** The workers that build due records. */
export interface RecordWorkers {
  /** Starts a poll of each worker. */
  readonly wake: () => void;
  readonly close: () => Promise<void>;
}

/** Opens the workers that build due records. Each builds one record at a time, so that a long record does not delay others. */
export function openRecordWorkers({
  builder,
  maxConcurrentRecords,
  pollSeconds,
  log,
}: RecordWorkersDeps): RecordWorkers {
  const workers = Array.from(
    { length: maxConcurrentRecords },
    () =>
      new PeriodicTask({
        everyMs: pollSeconds * 1_000,
        run: (isRunning) => repeatUntilDone(() => builder.buildNext(), isRunning),
        failed: 'polling for due records failed, will retry',
        log,
      }),
  );
  return {
    wake: () => {
      for (const worker of workers) void worker.runNow();
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await builder.drain();
    },
  };
}
