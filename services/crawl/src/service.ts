import { randomUUID } from 'node:crypto';
import { loadCatalogue } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { CrawlServiceService } from '@tidemark/contracts/crawl/v1/crawl';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { createGuard, makeRequirePublicUrl, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import {
  Bus,
  defineService,
  Outbox,
  type OutgoingEvent,
  openPool,
  pingDatabase,
  prismaAdapter,
} from '@tidemark/service';
import { makeAdoptRun } from './adopt-run.ts';
import { makeCallOff } from './conduct/call-off.ts';
import { openConducting } from './conduct/open-conducting.ts';
import { config } from './config.ts';
import { creditsFor } from './domain/credits.ts';
import { openExits } from './exits.ts';
import { mapFeedSource } from './feed-source.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { openGrowing } from './grow/open-growing.ts';
import { crawlGrpc } from './grpc.ts';
import { makeHearDeleted } from './hear-deleted.ts';
import { makeHearLoginDeleted } from './hear-login-deleted.ts';
import { openRetention } from './janitor.ts';
import { consumePagesInProgress } from './on-pages-in-progress.ts';
import { makeRefusePenniless } from './refuse-penniless.ts';
import { RunDesk } from './run-desk.ts';
import { openSources } from './sources/open-sources.ts';
import { AdoptStore } from './store/adopt-store.ts';
import { DiscardStore } from './store/discard-store.ts';
import { FeedStore } from './store/feed-store.ts';
import { HeldStore } from './store/held-store.ts';
import { InProgressStore } from './store/in-progress-store.ts';
import { KnownStore } from './store/known-store.ts';
import { makeLeaveOutInVain } from './store/leave-out-in-vain.ts';
import { readLog } from './store/log-store.ts';
import { LoginStore } from './store/login-store.ts';
import { RunStore } from './store/run-store.ts';
import { RunViews } from './store/run-views.ts';

interface Priced {
  readonly options: CaptureOptions;
}

/** Which address of a site is fetched next, until the site is read or a limit is met. */
export const crawl = defineService({
  name: 'crawl',
  config,
  async start(app) {
    const { log } = app;
    const { DATABASE_URL, NATS_URL, BILLING_ADDR, ARCHIVE_ADDR, MAP_ADDR, MAX_RUNS: maxRuns } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'crawl', 8));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'crawl') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'crawl', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'crawl', app.log));
    const map = app.dial('map', MAP_ADDR);
    const billing = app.dial('billing', BILLING_ADDR);
    const peers = { billing, archive: app.dial('archive', ARCHIVE_ADDR), map };
    const { ladder } = loadCatalogue(app.config.TIDEMARK_CATALOGUE);
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const exits = app.own(await openExits(app.dial('browser-pool', app.config.BROWSER_POOL_ADDR), log));
    const price = ({ options }: Priced) => creditsFor(ladder, options, exits.areConfigured);
    const now = () => new Date();
    const tell = (told: readonly OutgoingEvent[]) => outbox.send(told);

    const owner = randomUUID();
    const runs = new RunStore(pool, db);
    const views = new RunViews(pool);
    const held = new HeldStore(pool);
    const known = new KnownStore(pool);
    const feeds = mapFeedSource(map);
    const feedStore = new FeedStore(pool, owner);
    const discards = new DiscardStore(pool, tell);
    const janitor = openRetention(app, pool, { discards, held });
    const clear = () => void janitor.clear();
    const callOff = makeCallOff({ bus, log, leaveOutInVain: makeLeaveOutInVain(pool, owner) });
    const keeper = app.own(
      openConducting({
        ...{ pool, bus, owner, runs, known, feeds, feedStore, peers, tell, now, clear, callOff, log, maxRuns, price },
      }),
    );
    const look = () => void keeper.look();
    const wake = (runId: string) => keeper.wake(runId);
    openGrowing({ pool, bus, outbox, runs, views, wake, now });

    const refusePenniless = makeRefusePenniless(billing, (options) => price({ options }).minCredits);
    const seal = (secret: string, runId: string) => sealer.seal(secret, runId);
    const desk = new RunDesk({ runs, admit: makeRequirePublicUrl(guard), refusePenniless, seal, tell, look, now });
    const adoptions = new AdoptStore(pool, tell);
    app.serve(
      CrawlServiceService,
      crawlGrpc({
        ...{ desk, runs, views, held, discards, look, wake, clear, callOff },
        ...openSources({ runs, known, feeds, feedStore, map, log }),
        adopt: makeAdoptRun({ runs, adoptions }),
        homeOf: async (caller, projectId) =>
          projectId === '' ? undefined : (await runs.lastFull(caller, projectId))?.home,
        readLog: (runNo) => readLog(pool, runNo),
      }),
    );
    bus.consume(events.projectDeleted, 'crawl', makeHearDeleted({ discards, look, clear }));
    bus.consume(events.loginDeleted, 'crawl', makeHearLoginDeleted({ logins: new LoginStore(pool), look }));
    consumePagesInProgress(bus, { inProgress: new InProgressStore(pool), held, log });
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
