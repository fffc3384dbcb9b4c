import type { BlobStore } from '@tidemark/blobs';
import { work } from '@tidemark/contracts';
import type { Bus } from '@tidemark/service';
import type pg from 'pg';
import { storeBodies } from '../finish-job.ts';
import type { ScrapeApp } from '../open-capture.ts';
import { RunPageStore } from './run-page-store.ts';
import { RunPageWorker, type RunPageWorkerDeps } from './run-page-worker.ts';
import { makeStillOpen } from './still-open.ts';

interface Around extends Omit<RunPageWorkerDeps, 'store' | 'keepBodies' | 'stillOpen' | 'log'> {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly blobs: BlobStore;
}

/** Working on the pages runs offer. */
export function openRunPages(app: ScrapeApp, { pool, bus, blobs, ...around }: Around): void {
  const worker = app.own(
    new RunPageWorker({
      ...around,
      store: new RunPageStore(pool),
      keepBodies: (captured) => storeBodies(blobs, captured),
      stillOpen: makeStillOpen(app.dial('crawl', app.config.CRAWL_ADDR)),
      log: app.log,
    }),
  );
  bus.work(work.page, app.config.RUN_PIECES, (piece, isRedelivered) => worker.run(piece, isRedelivered));
}
