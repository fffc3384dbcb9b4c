import { facts } from '@tidemark/contracts';
import { ProjectsServiceService } from '@tidemark/contracts/projects/v1/projects';
import { createGuard, makeAdmitUrl, parseAllowList } from '@tidemark/egress';
import { IdempotencyKeys } from '@tidemark/jobs';
import { Sealer } from '@tidemark/sealing';
import { Bus, defineService, Outbox, type Outgoing, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { ChannelStore } from './channels/channel-store.ts';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { channelMethods } from './grpc/channel-methods.ts';
import { loginMethods } from './grpc/login-methods.ts';
import { previewMethods } from './grpc/preview-methods.ts';
import { projectMethods } from './grpc/project-methods.ts';
import { runMethods } from './grpc/run-methods.ts';
import { makeToWire } from './grpc/to-wire.ts';
import { makeOnRunFinished } from './health/on-run-finished.ts';
import { openKeepCrawl } from './keep-crawl/open-keep-crawl.ts';
import { makeCheckLogin } from './logins/check-login.ts';
import { LoginProjectStore } from './logins/login-project-store.ts';
import { SavedLogins } from './logins/saved-logins.ts';
import { ConfigPreviews } from './previews/config-previews.ts';
import { makeCheckConfigChange } from './project-config/check-config-change.ts';
import { masking } from './project-config/masking.ts';
import { openProjects } from './projects/open-projects.ts';
import { ProjectQuota } from './projects/project-quota.ts';
import { openRetention } from './retention/open-retention.ts';
import { openRuns } from './runs/open-runs.ts';
import { openSchedule } from './schedule/open-schedule.ts';
import { ProjectStore } from './store/project-store.ts';
import { ProjectWriter } from './store/project-writer.ts';

/** Projects: what is captured, with which config and when. Starts runs; crawl performs them. */
export const projects = defineService({
  name: 'projects',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, CRAWL_ADDR, SCRAPE_ADDR, EXPORT_ADDR, MAX_PROJECTS: maxProjects } = app.config;
    const now = () => new Date();
    const pool = app.own(openPool(DATABASE_URL, 'projects'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'projects') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'projects', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'projects', app.log));
    const send = (events: readonly Outgoing[]): void => outbox.send(events);
    const crawl = app.dial('crawl', CRAWL_ADDR);
    const scrape = app.dial('scrape', SCRAPE_ADDR);
    const exports = app.dial('export', EXPORT_ADDR);
    const admit = makeAdmitUrl(createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) }));

    const sealer = new Sealer(app.config.SEALING_KEYS);
    const store = new ProjectStore(pool, db, sealer);
    const writer = new ProjectWriter(pool, sealer, masking);
    const quota = new ProjectQuota(store, maxProjects);
    const channels = new ChannelStore(pool, sealer);
    const logins = new SavedLogins(scrape);
    const loginProjects = new LoginProjectStore(pool);
    const checkLogin = makeCheckLogin({ logins, loginProjects });
    const checkConfigChange = makeCheckConfigChange({ crawl, scrape, exports, masking, admit });

    const useCases = openProjects({
      projects: store,
      writer,
      quota,
      maxProjects,
      masking,
      admit,
      checkLogin,
      checkConfigChange,
      send,
      now,
    });
    const runs = openRuns({ pool, projects: store, logins, crawl, isSecret: masking.isSecret });
    const keepCrawl = openKeepCrawl({
      app,
      pool,
      projects: store,
      writer,
      quota,
      crawl,
      masking,
      checkConfigChange,
      admit,
      now,
    });
    const previews = new ConfigPreviews({ projects: store, masking, crawl });
    openSchedule({ app, pool, startRun: runs.startRun, everyMs: app.config.SCHEDULE_SECONDS * 1_000, now });
    openRetention({ app, pool, crawl, now });
    app.own(new IdempotencyKeys(pool).openForgetting(app.log));
    bus.consume(facts.runFinished, 'projects', makeOnRunFinished({ pool, logins, send }));

    const toWire = makeToWire(masking);
    app.serve(ProjectsServiceService, [
      ...projectMethods(useCases, toWire),
      ...runMethods({ runs, keepCrawl, toWire }),
      ...previewMethods(previews, toWire),
      ...channelMethods({ projects: store, channels, masking }),
      ...loginMethods(loginProjects),
    ]);
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
