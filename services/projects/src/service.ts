import { randomUUID } from 'node:crypto';
import { toProjectRun } from '@tidemark/api';
import { facts } from '@tidemark/contracts';
import { ProjectsServiceService } from '@tidemark/contracts/projects/v1/projects';
import { createGuard, makeRequirePublicUrl, parseAllowList } from '@tidemark/egress';
import { IdempotencyKeys } from '@tidemark/jobs';
import { Sealer } from '@tidemark/sealing';
import {
  Bus,
  defineService,
  inPieces,
  Outbox,
  type Outgoing,
  openPool,
  pingDatabase,
  prismaAdapter,
  Rounds,
} from '@tidemark/service';
import { makeCreateBatch } from './batch-desk.ts';
import { ChannelStore } from './channels/channel-store.ts';
import { makeCheckChange } from './checking/check-change.ts';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { channelMethods } from './grpc/channel-methods.ts';
import { loginMethods } from './grpc/login-methods.ts';
import { makeToWire, projectMethods } from './grpc/project-methods.ts';
import { runMethods } from './grpc/run-methods.ts';
import { AdoptionStore } from './keep/adoption-store.ts';
import { CrawlKeeper } from './keep/crawl-keeper.ts';
import { makeListProjects } from './list-projects.ts';
import { makeCheckLogin } from './logins/check-login.ts';
import { LoginDesk } from './logins/login-desk.ts';
import { LoginStore } from './logins/login-store.ts';
import { masking } from './masking.ts';
import { PreviewDesk } from './preview-desk.ts';
import { ProjectDesk } from './project-desk.ts';
import { makeRecrawl } from './recrawl.ts';
import { RunDesk } from './run-desk.ts';
import { RunStarter } from './run-starter.ts';
import { Scheduler } from './schedule/scheduler.ts';
import { makeSettle } from './settle.ts';
import { DueStore } from './store/due-store.ts';
import { makeHearFinished } from './store/finished-store.ts';
import { ProjectStore } from './store/project-store.ts';
import { ProjectWriter } from './store/project-writer.ts';
import { RecrawlTurns } from './store/recrawl-turns.ts';
import { ExpiryStore } from './upkeep/expiry-store.ts';
import { RunExpirer } from './upkeep/run-expirer.ts';

const FORGET_EVERY_MS = 3_600_000;
/** Milliseconds between two looks for what was left undone: adoptions that were cut off, runs past their retention. */
const UPKEEP_EVERY_MS = 5_000;

/** What is watched, how and when. */
export const projects = defineService({
  name: 'projects',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, CRAWL_ADDR, SCRAPE_ADDR, EXPORT_ADDR, MAX_PROJECTS: mostProjects } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'projects'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'projects') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'projects', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'projects', app.log));
    const crawl = app.dial('crawl', CRAWL_ADDR);
    const scrape = app.dial('scrape', SCRAPE_ADDR);
    const exports = app.dial('export', EXPORT_ADDR);
    const admit = makeRequirePublicUrl(createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) }));
    const tell = (told: readonly Outgoing[]): void => outbox.send(told);
    const now = () => new Date();
    const { log } = app;

    const seals = new Sealer(app.config.SEALING_KEYS);
    const store = new ProjectStore(pool, db, seals);
    const writer = new ProjectWriter(pool, seals, masking);
    const logins = new LoginStore(pool);
    const settle = makeSettle(toProjectRun);
    const checkChange = makeCheckChange({ crawl, scrape, exports, settle, masking, admit });
    const checks = { checkConfig: settle, checkLogin: makeCheckLogin(logins), checkChange };
    const desk = new ProjectDesk({ projects: store, writer, masking, admit, ...checks, tell, mostProjects, now });
    const starter = new RunStarter({ projects: store, logins, crawl, settle, isSecret: masking.isSecret });
    const runs = new RunDesk({ projects: store, starter, crawl });
    const recrawl = makeRecrawl({ projects: store, turns: new RecrawlTurns(pool), starter, crawl });
    const previews = new PreviewDesk({ projects: store, masking, settle, crawl });
    const adoptions = new AdoptionStore(pool);
    const keeper = new CrawlKeeper({ desk, writer, adoptions, crawl, masking, settle, checkChange, admit, now, log });
    const toWire = makeToWire(masking);
    const createBatch = makeCreateBatch({ desk, admit, checkConfig: settle, checkChange, now });
    const list = makeListProjects(store, mostProjects);
    app.serve(ProjectsServiceService, [
      ...projectMethods({ desk, createBatch, list, toWire }),
      ...runMethods({ runs, recrawl, previews, keeper, toWire }),
      ...channelMethods({ desk, channels: new ChannelStore(pool, seals), masking }),
      ...loginMethods(new LoginDesk({ logins, seals, admit, scrape, tell, now })),
    ]);
    bus.consume(facts.runFinished, 'projects', makeHearFinished({ pool, tell }));

    const dues = new DueStore(pool, randomUUID());
    const scheduler = new Scheduler({ dues, startRun: (due) => runs.startDue(due), now, log });
    const expirer = new RunExpirer({ expiries: new ExpiryStore(pool), crawl, now, log });
    const every = (everyMs: number, round: (goesOn: () => boolean) => Promise<unknown>, failed: string): Rounds =>
      app.own(new Rounds({ everyMs, round, failed, log }));
    const scheduleMs = app.config.SCHEDULE_SECONDS * 1_000;
    every(scheduleMs, (goesOn) => scheduler.round(goesOn), 'runs that are due could not be looked for; trying again');
    every(UPKEEP_EVERY_MS, () => keeper.completeAdoptions(), 'runs of kept crawls wait to be adopted');
    every(UPKEEP_EVERY_MS, (goesOn) => expirer.round(goesOn), 'old runs stay a while longer');
    const forgetDues = (goesOn: () => boolean) => inPieces(() => dues.forgetSome(), goesOn);
    every(FORGET_EVERY_MS, forgetDues, 'old due runs stay a while longer');
    every(FORGET_EVERY_MS, () => logins.forgetOldRuns(), 'it stays known a while longer which session old runs had');
    app.own(new IdempotencyKeys(pool).openForgetting(log));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
