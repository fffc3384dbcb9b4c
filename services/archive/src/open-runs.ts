import type { BlobStore } from '@tidemark/blobs';
import type { BoundMethod, Logger, Peer, Rounds } from '@tidemark/service';
import type pg from 'pg';
import { askCrawl } from './listing/ask-crawl.ts';
import { makeCompleteSome, makeListSome } from './listing/list-run.ts';
import { makeOpenRun } from './listing/open-run.ts';
import { openRunWorker } from './listing/run-worker.ts';
import { shareSteps } from './listing/share-steps.ts';
import { makeSketchSome } from './listing/sketch-words.ts';
import { makeGetPage } from './questions/get-page.ts';
import { makeQueryPages } from './questions/query-pages.ts';
import { makeSearchWords } from './questions/search-pages.ts';
import { makeSearchSelectors } from './questions/search-selectors.ts';
import { runGrpc } from './run-grpc.ts';
import { PageQueries } from './store/page-queries.ts';
import { RunPageStore } from './store/run-page-store.ts';
import { RunStore } from './store/run-store.ts';

export interface RunsDeps {
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly listEveryMs: number;
  readonly sketchAfterSeconds: number;
  readonly searchMs: number;
  readonly log: Logger;
}

/** All that the archive knows of the runs of projects: how they come in, and what may be asked about them. */
export function openRuns(deps: RunsDeps): { runs: RunStore; worker: Rounds; methods: BoundMethod[] } {
  const { pool, blobs, scrape, searchMs, log } = deps;
  const runs = new RunStore(pool);
  const pages = new RunPageStore(pool);
  const queries = new PageQueries(pool);
  const crawl = askCrawl(deps.crawl);
  const listing = { crawl, runs, pages, now: () => new Date() };
  // Who asks about a run that has just ended, and who lists it: a page is listed once.
  const listSome = shareSteps(makeListSome(listing));
  const worker = openRunWorker({
    runs,
    queries,
    listSome,
    completeSome: makeCompleteSome(listing),
    sketchSome: makeSketchSome({ blobs, runs, pages }),
    everyMs: deps.listEveryMs,
    sketchAfterSeconds: deps.sketchAfterSeconds,
    log,
  });
  const methods = runGrpc({
    openRun: makeOpenRun({ runs, crawl, listSome, look: () => void worker.go() }),
    queries,
    queryPages: makeQueryPages({ queries, blobs }),
    searchWords: makeSearchWords({ queries, blobs }),
    searchSelectors: makeSearchSelectors({ queries, scrape }),
    getPage: makeGetPage({ queries, blobs }),
    searchMs,
  });
  return { runs, worker, methods };
}
