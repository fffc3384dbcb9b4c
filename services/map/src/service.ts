import { MapServiceService } from '@tidemark/contracts/map/v1/map';
import { createGot, guardFromConfig, makeRequirePublicUrl, ROBOTS_TOKEN, USER_AGENT } from '@tidemark/egress';
import { openHostLimiter } from '@tidemark/host-pace';
import { IdempotencyKeys, JobLeases, makeLease, newInstanceName } from '@tidemark/jobs';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter, WorkspaceStates } from '@tidemark/service';
import { config } from './config.ts';
import { Discovery } from './discovery/discovery.ts';
import { SnapshotDiffs } from './discovery/snapshot-diffs.ts';
import { documentStoreUrl, openDocumentStore } from './documents/document-store.ts';
import { makeReadFeeds } from './feeds/read-feeds.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { mapGrpc } from './grpc.ts';
import { openMaps } from './jobs/open-maps.ts';
import { makeDeleteWorkspaceData, openRetention } from './retention/open-retention.ts';
import { makeActivityOf } from './store/activity.ts';
import { JobStore } from './store/job-store.ts';
import { SnapshotStore } from './store/snapshot-store.ts';
import { makeFindSchemes } from './web/find-schemes.ts';
import { makeOpenFile } from './web/open-file.ts';

/** Above the size limit of a file, so that the parser reports the limit and keeps what it has read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Maps of sites: robots.txt, sitemaps and feeds, and the URLs they list. */
export const map = defineService({
  name: 'map',
  config,
  async start(app) {
    const { config: settings, log } = app;
    const pool = app.own(openPool(settings.DATABASE_URL, 'map'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'map') }));
    const bus = app.own(await Bus.connect(settings.NATS_URL, 'map', log));
    const outbox = app.own(new Outbox(pool, bus, 'map', log));
    const documents = app.own(openDocumentStore(settings.BLOB_URL));
    const guard = guardFromConfig(settings);
    const open = makeOpenFile({
      got: createGot(guard, { maxBodyBytes: MAX_BODY_BYTES }),
      pace: openHostLimiter(app),
      concurrency: settings.FILES_AT_ONCE,
      userAgent: USER_AGENT,
    });
    const leases = new JobLeases(pool, newInstanceName());
    const jobs = new JobStore(pool, db, leases);
    const snapshots = new SnapshotStore(pool, db);
    const keys = new IdempotencyKeys(pool);

    const maps = app.own(
      openMaps({
        jobs,
        leases,
        keys,
        outbox,
        open,
        documents,
        robotsToken: ROBOTS_TOKEN,
        lease: makeLease(app.dial('billing', settings.BILLING_ADDR)),
        admit: makeRequirePublicUrl(guard),
        maxRunning: settings.MAX_MAPS,
        maxWaiting: settings.MAX_WAITING,
        log,
      }),
    );
    const deleteData = makeDeleteWorkspaceData(pool);
    app.own(new WorkspaceStates({ pool, bus, consumer: 'map', stopWork: maps.stopWork, deleteData, log }));
    const diffs = new SnapshotDiffs({ snapshots, documents });
    const discovery = new Discovery({ snapshots, jobs, documents, diffs });
    const readFeeds = makeReadFeeds({ open });
    const findSchemes = makeFindSchemes(open);
    app.own(keys.openExpiry(log));
    app.own(
      openRetention({
        pool,
        documentsUrl: documentStoreUrl(settings.BLOB_URL),
        snapshotDays: settings.SNAPSHOT_DAYS,
        trashHours: settings.BLOB_ASIDE_HOURS,
        intervalMs: settings.SWEEP_SECONDS * 1_000,
        log,
      }),
    );

    app.serve(
      MapServiceService,
      mapGrpc({
        startMap: maps.start,
        jobs,
        discovery,
        documents,
        readFeeds,
        findSchemes,
        activityOf: makeActivityOf(pool),
      }),
    );
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => documents.ping());
    await bus.prepare();
  },
});
