import { randomUUID } from 'node:crypto';
import { type Logger, type Peer, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { ComparePool } from '../../comparison/compare-pool.ts';
import { KnownPageStore } from '../../store/known-page-store.ts';
import { VolatilityJobStore } from '../../store/volatility-job-store.ts';
import { VolatilityLearner } from './volatility-learner.ts';

export interface VolatilityLearningDeps {
  readonly pool: pg.Pool;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly comparePool: ComparePool;
  readonly pollSeconds: number;
  readonly recaptureGapSeconds: number;
  readonly log: Logger;
}

/** Jobs of one process at a time: a job mostly waits between two recaptures. */
const CONCURRENT_JOBS = 4;

/** Opens the workers that recapture sample pages of first runs and learn what changes by itself. */
export function openVolatilityLearning(deps: VolatilityLearningDeps) {
  const { pool, archive, crawl, scrape, comparePool, log } = deps;
  const learner = new VolatilityLearner({
    pool,
    archive,
    crawl,
    scrape,
    compare: (before, after) => comparePool.compare(before, after),
    jobs: new VolatilityJobStore(pool, randomUUID),
    knownPages: new KnownPageStore(pool),
    gapSeconds: deps.recaptureGapSeconds,
    now: () => new Date(),
    log,
  });
  const workers = Array.from(
    { length: CONCURRENT_JOBS },
    () =>
      new PeriodicTask({
        // Together they poll as often as one worker would.
        everyMs: deps.pollSeconds * 1_000 * CONCURRENT_JOBS,
        run: (isRunning) => repeatUntilDone(() => learner.learnNext(), isRunning),
        failed: 'polling for due volatility jobs failed, will retry',
        log,
      }),
  );
  return {
    close: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.close()));
      await learner.drain();
    },
  };
}
