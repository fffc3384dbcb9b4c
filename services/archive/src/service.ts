import { collectBlobs, openBlobMaintenance, openBlobs, openBlobTrash } from '@tidemark/blobs';
import { events } from '@tidemark/contracts';
import { ArchiveServiceService } from '@tidemark/contracts/archive/v1/archive';
import {
  Bus,
  defineService,
  openPool,
  pingDatabase,
  prismaAdapter,
  repeatUntilDone,
  WorkspaceStates,
} from '@tidemark/service';
import { config } from './config.ts';
import { makeOnPageCaptured } from './events/on-page-captured.ts';
import { makeOnRunFinished } from './events/on-run-finished.ts';
import { makeOnRunPagesRecorded } from './events/on-run-pages-recorded.ts';
import { makeWakeRuns } from './events/wake-runs.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { historyMethods } from './grpc/history-methods.ts';
import { pageMethods } from './grpc/page-methods.ts';
import { runMethods } from './grpc/run-methods.ts';
import { makeFindReading } from './history/find-reading.ts';
import { makeListVersions } from './history/list-versions.ts';
import { makeSearchVersions } from './history/search-versions.ts';
import { coalesceBatches } from './listing/coalesce-batches.ts';
import { makeCompleteBatch, makeListBatch } from './listing/list-run.ts';
import { makeOpenRun } from './listing/open-run.ts';
import { openRunWorker } from './listing/run-worker.ts';
import { makeSketchBatch } from './listing/sketch-words.ts';
import { Arrivals } from './pages/arrivals.ts';
import { makeListPages } from './pages/list-pages.ts';
import { makeReadAttachment } from './pages/read-attachment.ts';
import { CatchUpGate } from './retention/catch-up-gate.ts';
import { openBlobUpkeep } from './retention/open-blob-upkeep.ts';
import { openRetentionSweep } from './retention/retention-sweep.ts';
import { makeGetPage } from './run-pages/get-page.ts';
import { makeQueryPages } from './run-pages/query-pages.ts';
import { makeSearchWords } from './run-pages/search-pages.ts';
import { DiscardStore } from './store/discard-store.ts';
import { HistoryStore } from './store/history-store.ts';
import { PageQueries } from './store/page-queries.ts';
import { PageStore } from './store/page-store.ts';
import { RecordedPageStore } from './store/recorded-page-store.ts';
import { RunPageStore } from './store/run-page-store.ts';
import { RunStore } from './store/run-store.ts';
import { VersionSearchStore } from './store/version-search-store.ts';

/** Stores captured pages, and serves queries and searches over them. */
export const archive = defineService({
  name: 'archive',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'archive', 8));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'archive') }));
    const blobs = app.own(openBlobs(app.config.BLOB_URL));
    const bus = app.own(await Bus.connect(app.config.NATS_URL, 'archive', app.log));
    const pages = new PageStore(pool, db);
    const arrivals = new Arrivals();

    const runStore = new RunStore(pool);
    const runPages = new RunPageStore(pool);
    const queries = new PageQueries(pool);
    const history = new HistoryStore(pool);
    const recorded = new RecordedPageStore(pool);
    const now = () => new Date();

    // Queries and the worker share batches, so that a page is listed once.
    const listBatch = coalesceBatches(makeListBatch({ recorded, runs: runStore, pages: runPages, now }));
    const worker = app.own(
      openRunWorker({
        runs: runStore,
        queries,
        recorded,
        listBatch,
        completeBatch: makeCompleteBatch({ recorded, runs: runStore, pages: runPages, now }),
        sketchBatch: makeSketchBatch({ blobs, runs: runStore, pages: runPages }),
        everyMs: app.config.LIST_SECONDS * 1_000,
        sketchAfterSeconds: app.config.SKETCH_AFTER_SECONDS,
        log: app.log,
      }),
    );
    const listPages = makeListPages({ pages, blobs, arrivals, now: Date.now });
    app.serve(ArchiveServiceService, [
      ...pageMethods({ listPages, readAttachment: makeReadAttachment({ listPages, blobs }), pages }),
      ...runMethods({
        openRun: makeOpenRun({ runs: runStore, arrivals, listBatch }),
        queries,
        queryPages: makeQueryPages({ queries, blobs }),
        searchWords: makeSearchWords({ queries, blobs }),
        getPage: makeGetPage({ queries, blobs }),
        searchMs: app.config.SEARCH_MS,
      }),
      ...historyMethods({
        listVersions: makeListVersions({ history }),
        findReading: makeFindReading({ history }),
        searchVersions: makeSearchVersions({ store: new VersionSearchStore(pool), history, queries, blobs }),
        searchMs: app.config.SEARCH_MS,
      }),
    ]);

    const wakeRuns = makeWakeRuns({ worker, arrivals });
    const onPageCaptured = makeOnPageCaptured({ pages, arrivals });
    const onRunPagesRecorded = makeOnRunPagesRecorded({ recorded, wakeRuns });
    const onRunFinished = makeOnRunFinished({ runs: runStore, wakeRuns });
    bus.consume(events.pageCaptured, 'archive', (batch) => onPageCaptured(batch.map(({ event }) => event)));
    bus.consume(events.runPagesRecorded, 'archive', (batch) => onRunPagesRecorded(batch.map(({ event }) => event)));
    bus.consume(events.runFinished, 'archive', (batch) => onRunFinished(batch.map(({ event }) => event)));
    const discards = new DiscardStore(pool);
    bus.consume(events.runDiscarded, 'archive', (batch) => discards.record(batch.map(({ event }) => event)));
    const deleteData = async (workspaceId: string, isOpen: () => boolean) => {
      while (isOpen() && (await discards.deleteOfWorkspace(workspaceId)));
      // The runs of the workspace are discarded by the events of crawl.
      await repeatUntilDone(() => discards.discardBatch(), isOpen);
    };
    app.own(new WorkspaceStates({ pool, bus, consumer: 'archive', deleteData, log: app.log }));
    const trash = app.own(openBlobTrash(app.config.BLOB_URL));
    const findReferenced = (sha256s: readonly string[]) => discards.findReferenced(sha256s);
    const asideHours = app.config.BLOB_ASIDE_HOURS;
    const caughtUpMs = app.config.CATCH_UP_MINUTES * 60_000;
    const catchUpGate = new CatchUpGate({ ping: () => bus.ping(), now: Date.now, caughtUpMs });
    app.own(
      openRetentionSweep({
        discards,
        collect: () => collectBlobs({ db: pool, trash, findReferenced, trashHours: asideHours }),
        isCaughtUp: () => catchUpGate.isCaughtUp(),
        retentionDays: app.config.RETENTION_DAYS,
        now: Date.now,
        everyMs: app.config.SWEEP_SECONDS * 1_000,
        log: app.log,
      }),
    );
    const maintenance = app.own(openBlobMaintenance(app.config.BLOB_URL));
    app.own(openBlobUpkeep({ db: pool, maintenance, everyMs: app.config.SWEEP_SECONDS * 1_000, log: app.log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
  },
});
