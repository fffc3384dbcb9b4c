import type { BlobStore } from '@tidemark/blobs';
import type { RunFinished, RunPagesRecorded } from '@tidemark/contracts/crawl/v1/events';
import type { BoundMethod, Logger, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import { coalesceBatches } from './listing/coalesce-batches.ts';
import { makeCompleteSome, makeListSome } from './listing/list-run.ts';
import { makeOpenRun } from './listing/open-run.ts';
import { openRunWorker } from './listing/run-worker.ts';
import { makeSketchSome } from './listing/sketch-words.ts';
import type { Arrivals } from './pages/arrivals.ts';
import { runGrpc } from './run-grpc.ts';
import { makeGetPage } from './run-pages/get-page.ts';
import { makeQueryPages } from './run-pages/query-pages.ts';
import { makeSearchWords } from './run-pages/search-pages.ts';
import { PageQueries } from './store/page-queries.ts';
import { RecordedPageStore } from './store/recorded-page-store.ts';
import { RunPageStore } from './store/run-page-store.ts';
import { RunStore } from './store/run-store.ts';

export interface RunsDeps {
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  readonly arrivals: Arrivals;
  readonly listEveryMs: number;
  readonly sketchAfterSeconds: number;
  readonly searchMs: number;
  readonly log: Logger;
}

export interface Runs {
  readonly worker: PeriodicTask;
  readonly methods: BoundMethod[];
  /** Stores pages of runs as crawl records them. Safe to repeat. */
  readonly onPagesRecorded: (events: readonly RunPagesRecorded[]) => Promise<void>;
  /** Notes runs that have ended. Safe to repeat. */
  readonly onFinished: (events: readonly RunFinished[]) => Promise<void>;
}

/** Opens what the archive does for runs of projects: it lists their pages as events arrive, and answers queries about them. */
export function openRuns(deps: RunsDeps): Runs {
  const { pool, blobs, arrivals, searchMs, log } = deps;
  const runs = new RunStore(pool);
  const pages = new RunPageStore(pool);
  const queries = new PageQueries(pool);
  const recorded = new RecordedPageStore(pool);
  const listing = { recorded, runs, pages, now: () => new Date() };
  // Queries and the worker share batches, so that a page is listed once.
  const listSome = coalesceBatches(makeListSome(listing));
  const worker = openRunWorker({
    runs,
    queries,
    recorded,
    listSome,
    completeSome: makeCompleteSome(listing),
    sketchSome: makeSketchSome({ blobs, runs, pages }),
    everyMs: deps.listEveryMs,
    sketchAfterSeconds: deps.sketchAfterSeconds,
    log,
  });
  const methods = runGrpc({
    openRun: makeOpenRun({ runs, arrivals, listSome }),
    queries,
    queryPages: makeQueryPages({ queries, blobs }),
    searchWords: makeSearchWords({ queries, blobs }),
    getPage: makeGetPage({ queries, blobs }),
    searchMs,
  });
  const arrive = (events: readonly { readonly runId: string }[]) => {
    void worker.runNow();
    arrivals.announce(events.map(({ runId }) => runId));
  };
  return {
    worker,
    methods,
    async onPagesRecorded(events) {
      await recorded.record(events);
      arrive(events);
    },
    async onFinished(events) {
      await runs.noteFinished(events);
      arrive(events);
    },
  };
}
