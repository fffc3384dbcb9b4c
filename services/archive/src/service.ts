import { collectBlobs, openBlobs, openBlobTrash } from '@tidemark/blobs';
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
import { PrismaClient } from './generated/prisma/client.ts';
import { archiveGrpc } from './grpc.ts';
import { openRuns } from './open-runs.ts';
import { Arrivals } from './pages/arrivals.ts';
import { makeListPages } from './pages/list-pages.ts';
import { makeReadAttachment } from './pages/read-attachment.ts';
import { CatchUpGate } from './retention/catch-up-gate.ts';
import { openRetentionSweep } from './retention/retention-sweep.ts';
import { DiscardStore } from './store/discard-store.ts';
import { PageStore } from './store/page-store.ts';

/** Every page ever kept, and questions about it. */
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

    const listPages = makeListPages({ pages, blobs, arrivals, now: Date.now });

    const runs = openRuns({
      pool,
      blobs,
      arrivals,
      listEveryMs: app.config.LIST_SECONDS * 1_000,
      sketchAfterSeconds: app.config.SKETCH_AFTER_SECONDS,
      searchMs: app.config.SEARCH_MS,
      log: app.log,
    });
    app.own(runs.worker);
    app.serve(ArchiveServiceService, [
      ...archiveGrpc({ listPages, readAttachment: makeReadAttachment({ listPages, blobs }), pages }),
      ...runs.methods,
    ]);
    bus.consume(events.pageCaptured, 'archive', async (batch) => {
      const captured = batch.map((delivered) => delivered.event);
      await pages.record(captured);
      arrivals.announce(captured.map((page) => page.jobId));
    });
    bus.consume(events.runPagesRecorded, 'archive', (batch) => runs.onPagesRecorded(batch.map(({ event }) => event)));
    bus.consume(events.runFinished, 'archive', (batch) => runs.onFinished(batch.map(({ event }) => event)));
    const discards = new DiscardStore(pool);
    bus.consume(events.runDiscarded, 'archive', (batch) => discards.note(batch.map(({ event }) => event)));
    const deleteData = async (workspaceId: string, isOpen: () => boolean) => {
      while (isOpen() && (await discards.deleteOfWorkspace(workspaceId)));
      // Its runs are discarded as crawl reports them.
      await repeatUntilDone(() => discards.discardSome(), isOpen);
    };
    app.own(new WorkspaceStates({ pool, bus, consumer: 'archive', deleteData, log: app.log }));
    const trash = app.own(openBlobTrash(app.config.BLOB_URL));
    const findReferenced = (sha256s: readonly string[]) => discards.named(sha256s);
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
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
  },
});
