import { randomUUID } from 'node:crypto';
import { openBlobs } from '@tidemark/blobs';
import { loadCatalogue } from '@tidemark/catalogue';
import { ScrapeServiceService } from '@tidemark/contracts/scrape/v1/scrape';
import { createGot, createGuard, createHttpClient, parseAllowList, ROBOTS_TOKEN, USER_AGENT } from '@tidemark/egress';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { makeAdmitUrl } from './admit-url.ts';
import { makeCancelJob } from './cancel-job.ts';
import { PageCapture } from './capture-page.ts';
import { config } from './config.ts';
import { BrowserEngine } from './engines/browser-engine.ts';
import { HttpEngine } from './engines/http-engine.ts';
import { makeFinishJob, makeGiveUpJob, makeReturnCredits } from './finish-job.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { scrapeGrpc } from './grpc.ts';
import { JobRunner } from './job-runner.ts';
import { makeLeaseCredits } from './lease-credits.ts';
import { ReadPool } from './reader/read-pool.ts';
import { Reconciler } from './reconciler.ts';
import { makeFetchRobots } from './robots/fetch-robots.ts';
import { RobotsGate } from './robots/robots-gate.ts';
import { ScrapeDesk } from './scrape-desk.ts';
import { JobStore } from './store/job-store.ts';

/** One URL in, one page out, and how the fetch went. */
export const scrape = defineService({
  name: 'scrape',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, BLOB_URL, BILLING_ADDR, BROWSER_POOL_ADDR, READ_THREADS } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'scrape', 8));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'scrape') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'scrape', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'scrape', app.log));
    const blobs = app.own(openBlobs(BLOB_URL));
    const billing = app.dial('billing', BILLING_ADDR);
    const browsers = app.dial('browser-pool', BROWSER_POOL_ADDR);
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const http = app.own(createHttpClient(guard, { headers: { 'user-agent': USER_AGENT } }));
    const { ladder } = loadCatalogue(app.config.TIDEMARK_CATALOGUE);
    const now = () => new Date();

    const jobs = new JobStore(pool, db, randomUUID());
    const reader = app.own(new ReadPool({ threads: READ_THREADS }));
    const robots = new RobotsGate(makeFetchRobots(createGot(guard), USER_AGENT), ROBOTS_TOKEN);
    const engines = new Map([new HttpEngine(http), new BrowserEngine(browsers)].map((engine) => [engine.tier, engine]));
    const leaseCredits = makeLeaseCredits(billing);
    const giveUp = makeGiveUpJob({ jobs, outbox, now });
    const pages = new PageCapture({ ladder, engines, robots, reader, now });
    const { MAX_CAPTURES: maxRunning, MAX_WAITING: maxWaiting } = app.config;
    const capture = pages.capture.bind(pages);
    const finish = makeFinishJob({ jobs, blobs, outbox, now });
    const runner = app.own(new JobRunner({ jobs, capture, finish, giveUp, log: app.log, maxRunning, maxWaiting }));
    const returnCredits = makeReturnCredits({ outbox, now });
    const desk = new ScrapeDesk({ jobs, runner, ladder, admit: makeAdmitUrl(guard), leaseCredits, returnCredits, now });

    app.serve(
      ScrapeServiceService,
      scrapeGrpc({ desk, cancelJob: makeCancelJob({ jobs, runner, outbox, now }), jobs }),
    );
    app.own(new Reconciler({ jobs, runner, ladder, leaseCredits, giveUp, log: app.log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    app.ready('blobs', () => blobs.ping());
    await bus.prepare();
  },
});
