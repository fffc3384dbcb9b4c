import { randomUUID } from 'node:crypto';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { type Logger, type OutgoingEvent, type Peer, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { ComparePool } from '../comparison/compare-pool.ts';
import { KnownPageStore } from '../store/known-page-store.ts';
import { RecapturedPageStore } from '../store/recaptured-page-store.ts';
import { RecordStore } from '../store/record-store.ts';
import { ReleaseStore } from '../store/release-store.ts';
import { VolatilityJobStore } from '../store/volatility-job-store.ts';
import { RecordBuilder } from './record-worker.ts';
import { ReleaseGuard } from './release-guard.ts';

export interface RecordBuildingDeps {
  readonly pool: pg.Pool;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly comparePool: ComparePool;
  readonly release: string;
  readonly maxConcurrentRecords: number;
  readonly pollSeconds: number;
  readonly recaptureDelaySeconds: number;
  readonly publish: (events: readonly OutgoingEvent[]) => void;
  readonly log: Logger;
}

/** Opens the workers that build due records. Each worker builds one record at a time, so that a long record does not delay others. */
export function openRecordBuilding(deps: RecordBuildingDeps) {
  const { pool, archive, crawl, scrape, comparePool, log } = deps;
  const records = new RecordStore(pool, randomUUID);
  const builder = new RecordBuilder({
    pool,
    archive,
    crawl,
    scrape,
    compare: (before, after) => comparePool.compare(before, after),
    records,
    knownPages: new KnownPageStore(pool),
    recapturedPages: new RecapturedPageStore(pool),
    volatilityJobs: new VolatilityJobStore(pool, randomUUID),
    releaseGuard: new ReleaseGuard({ releases: new ReleaseStore(pool), release: deps.release, log }),
    recaptureDelaySeconds: deps.recaptureDelaySeconds,
    publish: deps.publish,
    now: () => new Date(),
    log,
  });
  const workers = Array.from(
    { length: deps.maxConcurrentRecords },
    () =>
      new PeriodicTask({
        everyMs: deps.pollSeconds * 1_000,
        run: (isRunning) => repeatUntilDone(() => builder.buildNext(), isRunning),
        failed: 'polling for due records failed, will retry',
        log,
      }),
  );
  return {
    /** Adds the records of finished runs to the queue and wakes the workers. Idempotent. */
    enqueue: async (runs: readonly RunFinished[]): Promise<void> => {
      await records.enqueue(runs);
      for (const worker of workers) void worker.runNow();
    },
    close: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.close()));
      await builder.drain();
    },
  };
}
