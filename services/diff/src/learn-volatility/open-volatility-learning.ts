import { randomUUID } from 'node:crypto';
import { type Logger, type Peer, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { ComparePool } from '../compare/compare-pool.ts';
import { KnownPageStore } from '../store/known-page-store.ts';
import { VolatilityJobStore } from '../store/volatility-job-store.ts';
import { VolatilityLearner } from './volatility-learner.ts';

export interface VolatilityLearningDeps {
  readonly pool: pg.Pool;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly comparePool: ComparePool;
  readonly pollSeconds: number;
  readonly log: Logger;
}

/** Opens the worker that recaptures sample pages of first runs and learns which blocks change on every visit. */
export function openVolatilityLearning(deps: VolatilityLearningDeps): PeriodicTask {
  const { pool, archive, crawl, scrape, comparePool, log } = deps;
  const learner = new VolatilityLearner({
    pool,
    archive,
    crawl,
    scrape,
    compare: (before, after) => comparePool.compare(before, after),
    jobs: new VolatilityJobStore(pool, randomUUID),
    knownPages: new KnownPageStore(pool),
    now: () => new Date(),
    log,
  });
  return new PeriodicTask({
    everyMs: deps.pollSeconds * 1_000,
    run: (isRunning) => repeatUntilDone(() => learner.learnNext(), isRunning),
    failed: 'polling for due volatility jobs failed, will retry',
    log,
  });
}
