import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { VolatilityLearner } from './volatility-learner.ts';

export interface VolatilityWorkersDeps {
  readonly learner: VolatilityLearner;
  readonly pollSeconds: number;
  readonly log: Logger;
}

/** Jobs of one process at a time: a job mostly waits between two recaptures. */
const CONCURRENT_JOBS = 4;

/** Opens the workers that recapture sample pages of first runs and learn what changes by itself. */
export function openVolatilityWorkers({ learner, pollSeconds, log }: VolatilityWorkersDeps): {
  readonly close: () => Promise<void>;
} {
  const workers = Array.from(
    { length: CONCURRENT_JOBS },
    () =>
      new PeriodicTask({
        // Together they poll as often as one worker would.
        everyMs: pollSeconds * 1_000 * CONCURRENT_JOBS,
        run: (isRunning) => repeatUntilDone(() => learner.learnNext(), isRunning),
        failed: 'polling for due volatility jobs failed, will retry',
        log,
      }),
  );
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await learner.drain();
    },
  };
}
