import { randomUUID } from 'node:crypto';
import { loadCatalogue } from '@tidemark/catalogue';
import { facts } from '@tidemark/contracts';
import { CrawlServiceService } from '@tidemark/contracts/crawl/v1/crawl';
import { createGuard, makeAdmitUrl, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { makeDispatchPages } from './conduct/dispatch-pages.ts';
import { makeEndRun } from './conduct/end-run.ts';
import { makeLeaseCredits } from './conduct/lease-credits.ts';
import { RunConductor } from './conduct/run-conductor.ts';
import { RunKeeper } from './conduct/run-keeper.ts';
import { config } from './config.ts';
import { creditsFor } from './domain/credits.ts';
import { makeFindEarlier } from './find-earlier.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { makeCountInLinks } from './graph/count-in-links.ts';
import { openGrowing } from './grow/open-growing.ts';
import { crawlGrpc } from './grpc.ts';
import { makeHearDeleted } from './hear-deleted.ts';
import { Janitor } from './janitor.ts';
import { makeRefusePenniless } from './refuse-penniless.ts';
import { RunDesk } from './run-desk.ts';
import { mapSitemapSource } from './sitemap-source.ts';
import { DiscardStore } from './store/discard-store.ts';
import { FrontierStore } from './store/frontier-store.ts';
import { makeGiveBack } from './store/give-back.ts';
import { GraphStore } from './store/graph-store.ts';
import { HeldStore } from './store/held-store.ts';
import { LeaseStore } from './store/lease-store.ts';
import { RunStore } from './store/run-store.ts';
import { RunViews } from './store/run-views.ts';

/** Which address of a site is fetched next, until the site is read or a limit is met. */
export const crawl = defineService({
  name: 'crawl',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, BILLING_ADDR, ARCHIVE_ADDR, MAP_ADDR } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'crawl', 8));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'crawl') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'crawl', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'crawl', app.log));
    const billing = app.dial('billing', BILLING_ADDR);
    const { ladder } = loadCatalogue(app.config.TIDEMARK_CATALOGUE);
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const hasExits = app.config.TIDEMARK_EXITS !== '';
    const { log } = app;
    const now = () => new Date();

    const owner = randomUUID();
    const runs = new RunStore(pool, db);
    const leases = new LeaseStore(pool, owner, (told) => outbox.send(told));
    const frontier = new FrontierStore(pool, owner);
    const views = new RunViews(pool);
    const held = new HeldStore(pool);
    const discards = new DiscardStore(pool);
    const janitor = app.own(new Janitor(runs, discards, held, log));

    const dispatch = makeDispatchPages({
      frontier,
      bus,
      leaseCredits: makeLeaseCredits(billing),
      price: ({ options }) => creditsFor(ladder, options, hasExits),
      findEarlier: makeFindEarlier(app.dial('archive', ARCHIVE_ADDR)),
      log,
    });
    const endRun = makeEndRun({
      frontier,
      leases,
      giveBack: makeGiveBack({ pool, tell: (charges) => outbox.send(charges), now }),
      countInLinks: makeCountInLinks(new GraphStore(pool)),
      onEnded: (run) => log.info({ run: run.id }, 'a run has ended'),
      clear: () => void janitor.clear(),
    });
    const sitemaps = mapSitemapSource(app.dial('map', MAP_ADDR));
    const conductorOf = (id: string) =>
      new RunConductor({ runs, leases, frontier, dispatch, endRun, sitemaps, log }, id);
    const keeper = app.own(
      new RunKeeper({ leases, conductorOf, workMadeAt: () => bus.workMadeAt(), maxRuns: app.config.MAX_RUNS, log }),
    );
    const look = () => void keeper.look();
    const wake = (runId: string) => keeper.wake(runId);

    openGrowing({ pool, bus, outbox, runs, views, wake, now });

    const refusePenniless = makeRefusePenniless(billing, (options) => creditsFor(ladder, options, hasExits).least);
    const seal = (secret: string, runId: string) => sealer.seal(secret, runId);
    const desk = new RunDesk({ runs, admit: makeAdmitUrl(guard), refusePenniless, seal, look, now });
    app.serve(CrawlServiceService, crawlGrpc({ desk, runs, views, held, look, wake }));
    bus.consume(facts.projectDeleted, 'crawl', makeHearDeleted({ discards, look, clear: () => void janitor.clear() }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
