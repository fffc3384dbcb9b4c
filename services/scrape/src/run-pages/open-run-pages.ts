import type { BlobStore } from '@tidemark/blobs';
import { controls, work } from '@tidemark/contracts';
import type { PageWork } from '@tidemark/contracts/scrape/v1/work';
import type { Bus, Peer } from '@tidemark/service';
import type pg from 'pg';
import { storeBodies } from '../capture/store-bodies.ts';
import type { ScrapeApp } from '../config.ts';
import { makeFindEnded } from './find-ended.ts';
import { RunPageStore } from './run-page-store.ts';
import { RunPageWorker, type RunPageWorkerDeps } from './run-page-worker.ts';

/** Time a body waits for those of other pages, with which it shares a sync, ms. The rows of run pages are gathered for longer. */
const GATHER_MS = 20;

interface Around extends Omit<RunPageWorkerDeps, 'store' | 'keepBodies' | 'findEnded' | 'report' | 'log'> {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly archive: Peer;
  /** Opens the sealed headers and cookies of a work message. */
  readonly openWork: (work: PageWork) => PageWork;
}

/** Opens the worker that fetches pages of runs. */
export function openRunPages(app: ScrapeApp, { pool, bus, blobs, archive, openWork, ...around }: Around): void {
  const worker = app.own(
    new RunPageWorker({
      ...around,
      store: new RunPageStore(pool),
      keepBodies: (captured) => storeBodies(blobs, captured, GATHER_MS),
      findEnded: makeFindEnded({ pool, archive }),
      report: (pages) => bus.control.send(controls.pagesInProgress, pages),
      log: app.log,
    }),
  );
  bus.control.receive(controls.pagesCalledOff, (pages) => worker.callOff(pages));
  bus.control.receive(controls.runPaused, (run) => worker.pause(run));
  bus.control.receive(controls.pagesRequested, (run) => worker.reportRun(run));
  bus.work(work.page, app.config.RUN_PIECES, (piece, isRedelivered) => worker.run(openWork(piece), isRedelivered));
}
