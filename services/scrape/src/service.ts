import { openBlobs } from '@tidemark/blobs';
import { loadCatalogue } from '@tidemark/catalogue';
import { work } from '@tidemark/contracts';
import { ScrapeServiceService } from '@tidemark/contracts/scrape/v1/scrape';
import { guardFromConfig, makeRequirePublicUrl } from '@tidemark/egress';
import { openHostLimiter } from '@tidemark/host-pace';
import { type CreditRequest, JobLeases, makeLease, newInstanceName } from '@tidemark/jobs';
import {
  Bus,
  defineService,
  Outbox,
  observeQueueDepths,
  openPool,
  pingDatabase,
  prismaAdapter,
  WorkspaceStates,
} from '@tidemark/service';
import { openBatches } from './batch/open-batches.ts';
import { config, type ScrapeApp } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { scrapeGrpc } from './grpc/scrape-methods.ts';
import { makeCancelJob } from './jobs/cancel-job.ts';
import { openScrapes } from './jobs/open-scrapes.ts';
import { makeDeleteWorkspaceData, makeStopWorkspaces } from './jobs/stop-workspaces.ts';
import { openLogins } from './logins/open-logins.ts';
import { openCapture } from './open-capture/open-capture.ts';
import { makeRecapture } from './recapture/recapture.ts';
import { openRecorders } from './recorder/open-recorders.ts';
import { openRunPages } from './run-pages/open-run-pages.ts';
import { makeActivityOf } from './store/activity.ts';
import { BatchStore } from './store/batch-store.ts';
import { BatchViews } from './store/batch-views.ts';
import { JobStore } from './store/job-store.ts';
import { PageVisitor } from './visit/page-visitor.ts';

const now = () => new Date();

/** Fetches pages and classifies the result of each fetch. */
export const scrape = defineService({
  name: 'scrape',
  config,
  async start(app) {
    const { BILLING_ADDR, TIDEMARK_CATALOGUE } = app.config;
    const { pool, db, bus, outbox, blobs } = await connect(app);
    const billing = app.dial('billing', BILLING_ADDR);
    const guard = guardFromConfig(app.config);
    const admit = makeRequirePublicUrl(guard);
    const { ladder } = loadCatalogue(TIDEMARK_CATALOGUE);
    const lease = makeLease(billing);
    const leaseCredits = async (request: CreditRequest) => (await lease(request)).granted;
    const leases = new JobLeases(pool, newInstanceName());
    const jobs = new JobStore(pool, db, leases);
    const batches = new BatchStore(pool, leases.owner);
    const batchViews = new BatchViews(pool, db);
    const pace = openHostLimiter(app);

    const capturing = await openCapture(app, { pool, outbox, blobs, guard, ladder, pace });
    const { capture, extractPage, robots, exits, archive, stored, sealOptions, openWork } = capturing;
    const { sessions, loginDeletions, openLogin, probe } = capturing;
    const visitor = new PageVisitor({ capture, robots, pace, now });
    openLogins(app, { pool, bus, outbox, sessions, loginDeletions, probe, admit, now });
    openRecorders(app, { pool, outbox, ladder, exits, robots, lease, openLogin, admit, now });
    const { startScrape, attempts } = openScrapes(app, {
      pool,
      jobs,
      leases,
      blobs,
      outbox,
      ladder,
      exits,
      visitor,
      extractPage,
      admit,
      lease,
      leaseCredits,
      sealOptions,
      now,
    });
    const { batchService, batchRunner } = openBatches(app, {
      jobs,
      batches,
      batchViews,
      bus,
      billing,
      blobs,
      outbox,
      ladder,
      exits,
      visitor,
      extractPage,
      admit,
      leaseCredits,
      now,
    });
    openRunPages(app, { pool, bus, outbox, blobs, archive, openWork, visitor, extractPage, now });
    const recapture = makeRecapture(visitor);
    const cancelJob = makeCancelJob({ jobs, batches, attempts, batchRunner, outbox, now });

    const stopWork = makeStopWorkspaces({ jobs, cancelJob });
    const deleteData = makeDeleteWorkspaceData(pool);
    app.own(new WorkspaceStates({ pool, bus, consumer: 'scrape', stopWork, deleteData, log: app.log }));
    const activityOf = makeActivityOf(pool);
    const methods = { startScrape, batchService, cancelJob, jobs, batchViews, recapture, stored, activityOf };
    app.serve(ScrapeServiceService, scrapeGrpc(methods));
    const batch = () => bus.pendingWork(work.batchHost);
    observeQueueDepths('scrape', { interactive: () => attempts.queued, batch, run: () => bus.pendingWork(work.page) });
    await bus.prepare();
  },
});

/** Opens the stores and the bus, each with its readiness check. */
async function connect(app: ScrapeApp) {
  const { DATABASE_URL, NATS_URL, BLOB_URL } = app.config;
  const pool = app.own(openPool(DATABASE_URL, 'scrape', 8));
  const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'scrape') }));
  const bus = app.own(await Bus.connect(NATS_URL, 'scrape', app.log));
  const outbox = app.own(new Outbox(pool, bus, 'scrape', app.log));
  const blobs = app.own(openBlobs(BLOB_URL));
  app.ready('postgres', () => pingDatabase(pool));
  app.ready('nats', () => bus.ping());
  app.ready('blobs', () => blobs.ping());
  return { pool, db, bus, outbox, blobs };
}
