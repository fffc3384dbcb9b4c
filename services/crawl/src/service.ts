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
import { config } from './config.ts';
import { creditsFor } from './domain/run/credits.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { crawlGrpc } from './grpc.ts';
import { makeOnLoginDeleted } from './handlers/on-login-deleted.ts';
import { consumePagesInProgress } from './handlers/on-pages-in-progress.ts';
import { makeOnProjectDeleted } from './handlers/on-project-deleted.ts';
import { makeCallOff } from './orchestrate/end/call-off.ts';
import { openOrchestration } from './orchestrate/open-orchestration.ts';
import { openExits } from './peers/exits.ts';
import { mapFeedSource } from './peers/feed-source.ts';
import { openRecording } from './record-results/open-recording.ts';
import { openRetention } from './retention-sweep.ts';
import { openSources } from './sources/open-sources.ts';
import { makeRequireFirstPageCredits } from './start-run/require-credits.ts';
import { makeStartRun } from './start-run/start-run.ts';
import { KnownStore } from './store/ended-runs/known-store.ts';
import { InProgressStore } from './store/frontier/in-progress-store.ts';
import { makeLeaveOutUnneeded } from './store/frontier/leave-out-unneeded.ts';
import { RunViews } from './store/pages/run-views.ts';
import { AdoptStore } from './store/retention/adopt-store.ts';
import { DiscardStore } from './store/retention/discard-store.ts';
import { FeedStore } from './store/runs/feed-store.ts';
import { HeldHostStore } from './store/runs/held-host-store.ts';
import { LoginStore } from './store/runs/login-store.ts';
import { readLog } from './store/runs/run-log.ts';
import { RunStore } from './store/runs/run-store.ts';

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
    const sendEvents = (outgoing: readonly OutgoingEvent[]) => outbox.send(outgoing);

    const owner = randomUUID();
    const runs = new RunStore(pool, db);
    const views = new RunViews(pool);
    const held = new HeldHostStore(pool);
    const known = new KnownStore(pool);
    const feeds = mapFeedSource(map);
    const feedStore = new FeedStore(pool, owner);
    const discards = new DiscardStore(pool, sendEvents);
    const retention = openRetention(app, pool, { discards, held });
    const sweep = () => void retention.sweep();
    const callOff = makeCallOff({ bus, log, leaveOutUnneeded: makeLeaveOutUnneeded(pool, owner) });
    const leasedRuns = app.own(
      openOrchestration({
        pool,
        bus,
        owner,
        runs,
        known,
        feeds,
        feedStore,
        peers,
        price,
        sendEvents,
        now,
        sweep,
        callOff,
        maxRuns,
        log,
      }),
    );
    const claimRuns = () => void leasedRuns.claim();
    const wake = (runId: string) => leasedRuns.wake(runId);
    openRecording({ pool, bus, outbox, runs, views, wake, now });

    const requireCredits = makeRequireFirstPageCredits(billing, (options) => price({ options }).minCredits);
    const seal = (secret: string, runId: string) => sealer.seal(secret, runId);
    const admit = makeRequirePublicUrl(guard);
    const startRun = makeStartRun({ runs, admit, requireCredits, seal, sendEvents, claimRuns, now });
    const adoptions = new AdoptStore(pool, sendEvents);
    app.serve(
      CrawlServiceService,
      crawlGrpc({
        startRun,
        runs,
        views,
        held,
        discards,
        claimRuns,
        wake,
        sweep,
        callOff,
        sources: openSources({ runs, known, feeds, feedStore, map, log }),
        adopt: makeAdoptRun({ runs, adoptions }),
        homeOf: async (caller, projectId) =>
          projectId === '' ? undefined : (await runs.lastFull(caller, projectId))?.home,
        readLog: (runNo) => readLog(pool, runNo),
      }),
    );
    bus.consume(events.projectDeleted, 'crawl', makeOnProjectDeleted({ discards, claimRuns, sweep }));
    bus.consume(events.loginDeleted, 'crawl', makeOnLoginDeleted({ logins: new LoginStore(pool), claimRuns }));
    consumePagesInProgress(bus, { inProgress: new InProgressStore(pool), held, log });
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
