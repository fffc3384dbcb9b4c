import { loadCatalogue } from '@tidemark/catalogue';
import { type Caller, events } from '@tidemark/contracts';
import { CrawlServiceService } from '@tidemark/contracts/crawl/v1/crawl';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { checkingGuardFromConfig, makeRequirePublicUrl } from '@tidemark/egress';
import { newInstanceName } from '@tidemark/jobs';
import { readSettings } from '@tidemark/project-config';
import { Sealer, sealRequest } from '@tidemark/sealing';
import {
  Bus,
  defineService,
  Outbox,
  type OutgoingEvent,
  openPool,
  pingDatabase,
  prismaAdapter,
  WorkspaceStates,
} from '@tidemark/service';
import type pg from 'pg';
import { config } from './config.ts';
import { creditsFor } from './domain/run/credits.ts';
import { makeOnLoginDeleted } from './events/on-login-deleted.ts';
import { consumePagesInProgress } from './events/on-pages-in-progress.ts';
import { makeOnProjectDeleted } from './events/on-project-deleted.ts';
import { makeStopWorkspaces } from './events/stop-workspaces.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { crawlGrpc } from './grpc/run-methods.ts';
import { makeCallOff } from './orchestrate/end/call-off.ts';
import { openOrchestration } from './orchestrate/open-orchestration.ts';
import { type Exits, openExits } from './peers/exits.ts';
import { mapFeedSource } from './peers/feed-source.ts';
import { openRecording } from './record-results/open-recording.ts';
import { openRetention } from './retention/retention-sweep.ts';
import { openSources } from './sources/open-sources.ts';
import { makeAdoptRun } from './start-run/adopt-run.ts';
import { makeRequireFirstPageCredits } from './start-run/require-credits.ts';
import { makeStartRun, secretsContext } from './start-run/start-run.ts';
import { CoverageStore } from './store/ended-runs/coverage-store.ts';
import { KnownStore } from './store/ended-runs/known-store.ts';
import { InProgressStore } from './store/frontier/in-progress-store.ts';
import { makeLeaveOutUnneeded } from './store/frontier/leave-out-unneeded.ts';
import { WithdrawnStore } from './store/frontier/withdrawn-store.ts';
import { RunViews } from './store/pages/run-views.ts';
import { AdoptStore } from './store/retention/adopt-store.ts';
import { DiscardStore } from './store/retention/discard-store.ts';
import { makeActivityOf } from './store/runs/activity.ts';
import { FeedStore } from './store/runs/feed-store.ts';
import { HeldHostStore } from './store/runs/held-host-store.ts';
import { LoginStore } from './store/runs/login-store.ts';
import { readLog } from './store/runs/run-log.ts';
import { observeRuns } from './store/runs/run-metrics.ts';
import { RunStore } from './store/runs/run-store.ts';

interface Priced {
  readonly options: CaptureOptions;
}

/** Decides which URL of a site is fetched next, until the site is complete or a limit is reached. */
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
    const peers = { billing: app.dial('billing', BILLING_ADDR), archive: app.dial('archive', ARCHIVE_ADDR), map };
    const exits = app.own(await openExits(app.dial('browser-pool', app.config.BROWSER_POOL_ADDR), log));
    const price = makePrice(app.config.TIDEMARK_CATALOGUE, exits);
    const sendEvents = (outgoing: readonly OutgoingEvent[]) => outbox.send(outgoing);
    const owner = newInstanceName();
    const { runs, views, held, known, feedStore, discards } = openStores({ pool, db, owner, sendEvents });
    const feeds = mapFeedSource(map);

    const retention = openRetention(app, pool, { discards, held });
    const sweep = () => void retention.sweep();
    const callOff = makeCallOff({ bus, log, leaveOutUnneeded: makeLeaveOutUnneeded(pool, owner) });
    const leasedRuns = app.own(
      openOrchestration({
        pool,
        bus,
        owner,
        sendEvents,
        now,
        log,
        stores: { runs, known, feedStore },
        feeds,
        peers,
        price,
        sweep,
        callOff,
        maxRuns,
      }),
    );
    const claimRuns = () => void leasedRuns.claim();
    const wake = (runId: string) => leasedRuns.wake(runId);
    openRecording({ pool, bus, outbox, runs, views, wake, now, log });
    bus.consume(events.projectDeleted, 'crawl', makeOnProjectDeleted({ discards, claimRuns, sweep }));
    bus.consume(events.loginDeleted, 'crawl', makeOnLoginDeleted({ logins: new LoginStore(pool), claimRuns }));
    const stopWork = makeStopWorkspaces({ pool, runs, callOff, wake, claimRuns });
    const deleteData = (workspaceId: string) => discards.expireWorkspace(workspaceId).then(sweep);
    app.own(new WorkspaceStates({ pool, bus, consumer: 'crawl', stopWork, deleteData, log }));
    const inProgress = new InProgressStore(pool);
    const withdrawn = new WithdrawnStore(pool, owner);
    consumePagesInProgress(bus, { inProgress, withdrawn, held, wake, log });

    const requireCredits = makeRequireFirstPageCredits(peers.billing, (options) => price({ options }).minCredits);
    const admit = makeRequirePublicUrl(checkingGuardFromConfig(app.config));
    const { seal, sealOptions, openSecret, openSecrets } = openSeals(app.config.SEALING_KEYS);
    const startRun = makeStartRun({
      runs,
      admit,
      requireCredits,
      seal,
      sealOptions,
      openSecret,
      sendEvents,
      claimRuns,
      now,
    });
    const adopt = makeAdoptRun({ runs, adoptions: new AdoptStore(pool, sendEvents) });
    const sources = openSources({ runs, known, feeds, feedStore, map, log });
    const homeOf = makeHomeOf(runs);
    const activityOf = makeActivityOf(pool);
    const coverage = new CoverageStore(pool);
    const reading = {
      runs,
      views,
      held,
      coverage,
      readLog: (runNo: bigint) => readLog(pool, runNo),
      activityOf,
      openSecrets,
    };
    app.serve(
      CrawlServiceService,
      crawlGrpc({ reading, startRun, adopt, sources, price, homeOf, discards, callOff, claimRuns, wake, sweep }),
    );
    observeRuns(pool);
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});

const now = () => new Date();

function makePrice(catalogue: string | undefined, exits: Exits) {
  const { ladder } = loadCatalogue(catalogue);
  return ({ options }: Priced) => creditsFor(ladder, options, exits.areConfigured);
}

interface StoreDeps {
  readonly pool: pg.Pool;
  readonly db: PrismaClient;
  readonly owner: string;
  readonly sendEvents: (outgoing: readonly OutgoingEvent[]) => void;
}

function openStores({ pool, db, owner, sendEvents }: StoreDeps) {
  return {
    runs: new RunStore(pool, db),
    views: new RunViews(pool),
    held: new HeldHostStore(pool),
    known: new KnownStore(pool),
    feedStore: new FeedStore(pool, owner),
    discards: new DiscardStore(pool, sendEvents),
  };
}

const makeHomeOf = (runs: RunStore) => async (caller: Caller, projectId: string) =>
  projectId === '' ? undefined : (await runs.lastFull(caller, projectId))?.home;

function openSeals(keys: string) {
  const sealer = new Sealer(keys);
  return {
    seal: (secret: string, context: string): Uint8Array => sealer.seal(secret, context),
    sealOptions: (options: CaptureOptions, workspaceId: string) => sealRequest(options, sealer, workspaceId),
    openSecret: (sealed: Uint8Array, context: string) => sealer.open(sealed, context),
    openSecrets: (sealed: Uint8Array, runId: string) =>
      readSettings(JSON.parse(sealer.open(sealed, secretsContext(runId)))),
  };
}
