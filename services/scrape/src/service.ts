import { randomUUID } from 'node:crypto';
import { openBlobs } from '@tidemark/blobs';
import { loadCatalogue } from '@tidemark/catalogue';
import { work } from '@tidemark/contracts';
import { ScrapeServiceService } from '@tidemark/contracts/scrape/v1/scrape';
import { createGuard, makeRequirePublicUrl, parseAllowList } from '@tidemark/egress';
import { AttemptRunner, IdempotencyKeys, JobLeases, makeLeaseCredits } from '@tidemark/jobs';
import {
  Bus,
  defineService,
  Outbox,
  observeQueueDepths,
  openPool,
  pingDatabase,
  prismaAdapter,
} from '@tidemark/service';
import { openBatches } from './batch/open-batches.ts';
import { makeCancelJob } from './cancel-job.ts';
import { config } from './config.ts';
import type { Job } from './domain/job.ts';
import { makeFinishBatchPage, makeFinishJob, makeGiveUpJob, makeReturnCredits } from './finish-job.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { scrapeGrpc } from './grpc.ts';
import { makeRunJob, type Outcome } from './job-runner.ts';
import { openLogins } from './logins/open-logins.ts';
import { openCapture } from './open-capture.ts';
import { openHostLimiter } from './pace/open-host-limiter.ts';
import { makeRecapture } from './recapture/recapture.ts';
import { openOffers, openReconciler } from './reconciler.ts';
import { openRunPages } from './run-pages/open-run-pages.ts';
import { ScrapeDesk } from './scrape-desk.ts';
import { BatchStore } from './store/batch-store.ts';
import { BatchViews } from './store/batch-views.ts';
import { JobStore } from './store/job-store.ts';

const FORSAKEN_AT_ONCE = 500;

/** One URL in, one page out, and how the fetch went. */
export const scrape = defineService({
  name: 'scrape',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, BLOB_URL, BILLING_ADDR, TIDEMARK_EGRESS_ALLOW, TIDEMARK_CATALOGUE } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'scrape', 8));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'scrape') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'scrape', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'scrape', app.log));
    const blobs = app.own(openBlobs(BLOB_URL));
    const guard = createGuard({ allow: parseAllowList(TIDEMARK_EGRESS_ALLOW) });
    const { ladder } = loadCatalogue(TIDEMARK_CATALOGUE);
    const now = () => new Date();
    const leases = new JobLeases(pool, randomUUID());
    const keys = new IdempotencyKeys(pool);
    const jobs = new JobStore(pool, db, leases);
    const batches = new BatchStore(pool, leases.owner);
    const batchViews = new BatchViews(pool, db);
    const capturing = await openCapture(app, { pool, blobs, guard, ladder });
    const { capture, robots, exits, archive, stored, sessions, probe } = capturing;
    const billing = app.dial('billing', BILLING_ADDR);
    const leaseCredits = makeLeaseCredits(billing);
    const returnCredits = makeReturnCredits({ outbox, now });
    const admit = makeRequirePublicUrl(guard);
    openLogins(app, { pool, bus, outbox, sessions, probe, admit, now });
    const told = { blobs, outbox, now };

    const giveUp = makeGiveUpJob({ jobs, outbox, now });
    const { MAX_CAPTURES: maxRunning, MAX_WAITING: maxWaiting } = app.config;
    const forRunner = { jobs, leases, failJob: giveUp, log: app.log, maxRunning, maxQueued: maxWaiting };
    const runner = app.own(new AttemptRunner<Job, Outcome>(forRunner));
    const run = makeRunJob({ runner, capture, finish: makeFinishJob({ jobs, ...told }) });
    const desk = new ScrapeDesk({ jobs, keys, runner, run, ladder, exits, admit, leaseCredits, returnCredits, now });

    const findBatch = (id: string) => batchViews.find(id);
    const pace = openHostLimiter(app);
    const finishPage = makeFinishBatchPage({ batches, ...told });
    const forBatches = { jobs, batches, batchViews, findBatch, bus, billing, ladder, exits };
    const visiting = { robots, capture, admit, leaseCredits, pace, finish: finishPage };
    const { batchService, batchRunner } = openBatches(app, { ...forBatches, ...visiting, now });
    openRunPages(app, { pool, bus, outbox, blobs, archive, capture, robots, pace, now });

    const readAgain = makeRecapture({ capture, robots, pace });
    const cancelJob = makeCancelJob({ jobs, batches, runner, batchRunner, outbox, now });
    const methods = scrapeGrpc({ desk, batchService, cancelJob, jobs, batchViews, ...stored, readAgain });
    app.serve(ScrapeServiceService, methods);
    const abandoned = () => batchViews.abandoned(FORSAKEN_AT_ONCE);
    const offer = batchService.offer.bind(batchService);
    const forKeeping = { jobs, leases, runner, run, ladder, exits, leaseCredits, giveUp };
    app.own(openReconciler({ ...forKeeping, log: app.log }));
    app.own(openOffers({ abandoned, offer, log: app.log }));
    app.own(keys.openExpiry(app.log));
    const batch = () => bus.pendingWork(work.batchHost);
    observeQueueDepths('scrape', { interactive: () => runner.queued, batch, run: () => bus.pendingWork(work.page) });
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
    await bus.prepare();
  },
});
