import { randomUUID } from 'node:crypto';
import { collectBlobs, openShelf } from '@tidemark/blobs';
import { MapServiceService } from '@tidemark/contracts/map/v1/map';
import {
  createGot,
  createGuard,
  makeRequirePublicUrl,
  parseAllowList,
  ROBOTS_TOKEN,
  USER_AGENT,
} from '@tidemark/egress';
import { Attempts, IdempotencyKeys, JobLeases } from '@tidemark/jobs';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { config } from './config.ts';
import { DiffDesk } from './discovery/diff-desk.ts';
import { Discovery } from './discovery/discovery.ts';
import { documentsAt, openDocuments } from './documents.ts';
import type { Job } from './domain/job.ts';
import { readFeeds } from './feeds/read-feeds.ts';
import { type Ended, makeFinishJob, makeGiveUpJob, makeReturnCredits } from './finish-job.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { mapGrpc } from './grpc.ts';
import { makeRunJob, type RunJobDeps } from './job-runner.ts';
import { makeLeaseCredits } from './lease-credits.ts';
import { MapDesk } from './map-desk.ts';
import { mapSite } from './map-site.ts';
import { TRANCHE } from './purse.ts';
import { openReconciler } from './reconciler.ts';
import { DiscardStore } from './store/discard-store.ts';
import { JobStore, type Progress } from './store/job-store.ts';
import { SnapshotStore } from './store/snapshot-store.ts';
import { openJanitor } from './sweep/janitor.ts';
import { HostTurns } from './web/host-turns.ts';
import { makeOpenFile } from './web/open-file.ts';

/** Above what a file may hold unpacked, which is judged where it is read: what was read until then is kept. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** What a site declares about itself: its sitemaps and feeds, and the addresses in them. */
export const map = defineService({
  name: 'map',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'map'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'map') }));
    const bus = app.own(await Bus.connect(app.config.NATS_URL, 'map', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'map', app.log));
    const blobs = app.own(openDocuments(app.config.BLOB_URL));
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const open = makeOpenFile(createGot(guard, { maxBodyBytes: MAX_BODY_BYTES }), USER_AGENT);
    const leaseCredits = makeLeaseCredits(app.dial('billing', app.config.BILLING_ADDR));
    const turns = new HostTurns(app.config.FILES_AT_ONCE);
    const now = () => new Date();

    const leases = new JobLeases(pool, randomUUID());
    const keys = new IdempotencyKeys(pool);
    const jobs = new JobStore(pool, db, leases);
    const forEnd = { jobs, outbox, now };
    const leaseFor =
      ({ workspaceId }: Job) =>
      (id: string, want: number) =>
        leaseCredits({ id, workspaceId, want });
    const mapJob: RunJobDeps['map'] = (job, budget) =>
      mapSite({ open, turns, blobs, robotsToken: ROBOTS_TOKEN, lease: leaseFor(job) }, job, budget);
    const giveUp = makeGiveUpJob(forEnd);
    const { MAX_MAPS: maxRunning, MAX_WAITING: maxWaiting } = app.config;
    const runner = app.own(new Attempts<Job, Ended>({ jobs, leases, giveUp, log: app.log, maxRunning, maxWaiting }));
    const progress = new Map<string, Progress>();
    const run = makeRunJob({ runner, map: mapJob, finish: makeFinishJob(forEnd), progress });
    const desk = new MapDesk({
      jobs,
      keys,
      runner,
      run,
      admit: makeRequirePublicUrl(guard),
      leaseFirst: (job) => leaseFor(job)(job.chargeId, TRANCHE),
      returnCredits: makeReturnCredits(forEnd),
      now,
    });
    const snapshots = new SnapshotStore(pool, db);
    const diffs = new DiffDesk({ snapshots, documents: blobs });
    const discovery = new Discovery({ snapshots, jobs, documents: blobs, diffs });

    const feeds = (urls: readonly string[], limit: number) => readFeeds({ open, turns }, urls, limit);

    app.serve(MapServiceService, mapGrpc({ desk, jobs, discovery, blobs, readFeeds: feeds }));
    app.own(openReconciler({ jobs, runner, run, giveUp, progress, log: app.log }));
    app.own(keys.openForgetting(app.log));
    const discards = new DiscardStore(pool);
    const shelf = app.own(openShelf(documentsAt(app.config.BLOB_URL)));
    const named = (sha256s: readonly string[]) => discards.named(sha256s);
    const { SNAPSHOT_DAYS: snapshotDays, SWEEP_SECONDS, BLOB_ASIDE_HOURS: asideHours } = app.config;
    const collect = () => collectBlobs({ db: pool, shelf, named, asideHours });
    app.own(openJanitor({ discards, collect, snapshotDays, everyMs: SWEEP_SECONDS * 1_000, log: app.log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
    await bus.prepare();
  },
});
