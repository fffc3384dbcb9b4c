import { randomUUID } from 'node:crypto';
import { openBlobs } from '@tidemark/blobs';
import { MapServiceService } from '@tidemark/contracts/map/v1/map';
import { createGot, createGuard, makeAdmitUrl, parseAllowList, ROBOTS_TOKEN, USER_AGENT } from '@tidemark/egress';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { config } from './config.ts';
import { Discovery } from './discovery.ts';
import type { Job } from './domain/job.ts';
import { makeFinishJob, makeGiveUpJob, makeReturnCredits } from './finish-job.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { mapGrpc } from './grpc.ts';
import { JobRunner, type JobRunnerDeps } from './job-runner.ts';
import { makeLeaseCredits } from './lease-credits.ts';
import { MapDesk } from './map-desk.ts';
import { mapSite } from './map-site.ts';
import { TRANCHE } from './purse.ts';
import { Reconciler } from './reconciler.ts';
import { JobStore } from './store/job-store.ts';
import { SnapshotStore } from './store/snapshot-store.ts';
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
    const blobs = app.own(openBlobs(app.config.BLOB_URL));
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const open = makeOpenFile(createGot(guard, { maxBodyBytes: MAX_BODY_BYTES }), USER_AGENT);
    const leaseCredits = makeLeaseCredits(app.dial('billing', app.config.BILLING_ADDR));
    const turns = new HostTurns(app.config.FILES_AT_ONCE);
    const now = () => new Date();

    const jobs = new JobStore(pool, db, randomUUID());
    const forEnd = { jobs, outbox, now };
    const leaseFor =
      ({ workspaceId }: Job) =>
      (id: string, want: number) =>
        leaseCredits({ id, workspaceId, want });
    const mapJob: JobRunnerDeps['map'] = (job, budget) =>
      mapSite({ open, turns, blobs, robotsToken: ROBOTS_TOKEN, lease: leaseFor(job) }, job, budget);
    const giveUp = makeGiveUpJob(forEnd);
    const { MAX_MAPS: maxRunning, MAX_WAITING: maxWaiting } = app.config;
    const runner = app.own(
      new JobRunner({ jobs, map: mapJob, finish: makeFinishJob(forEnd), giveUp, log: app.log, maxRunning, maxWaiting }),
    );
    const desk = new MapDesk({
      jobs,
      runner,
      admit: makeAdmitUrl(guard),
      leaseFirst: (job) => leaseFor(job)(job.chargeId, TRANCHE),
      returnCredits: makeReturnCredits(forEnd),
      now,
    });
    const discovery = new Discovery({ snapshots: new SnapshotStore(db), jobs, blobs });

    app.serve(MapServiceService, mapGrpc({ desk, jobs, discovery, blobs }));
    app.own(new Reconciler({ jobs, runner, giveUp, log: app.log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
    await bus.prepare();
  },
});
