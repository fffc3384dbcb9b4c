import { events } from '@tidemark/contracts';
import { ProjectsServiceService } from '@tidemark/contracts/projects/v1/projects';
import { checkingGuardFromConfig, makeRequirePublicUrl } from '@tidemark/egress';
import { IdempotencyKeys } from '@tidemark/jobs';
import { Sealer } from '@tidemark/sealing';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter, WorkspaceStates } from '@tidemark/service';
import { ChannelStore } from './channels/channel-store.ts';
import { config } from './config.ts';
import { ConfigVersions } from './config-versions/config-versions.ts';
import { makeRestoreConfig } from './config-versions/restore-config.ts';
import { FeedLinks } from './feeds/feed-links.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { channelMethods } from './grpc/channel-methods.ts';
import { configVersionMethods } from './grpc/config-version-methods.ts';
import { feedMethods } from './grpc/feed-methods.ts';
import { loginMethods } from './grpc/login-methods.ts';
import { previewMethods } from './grpc/preview-methods.ts';
import { projectMethods } from './grpc/project-methods.ts';
import { runMethods } from './grpc/run-methods.ts';
import { makeToWire } from './grpc/to-wire.ts';
import { makeOnRunFinished, makeRecordRunEnd } from './health/on-run-finished.ts';
import { openKeepCrawl } from './keep-crawl/open-keep-crawl.ts';
import { makeLogins } from './logins/make-logins.ts';
import { ConfigPreviews } from './previews/config-previews.ts';
import { makeCheckConfigChange } from './project-config/check-config-change.ts';
import { masking } from './project-config/masking.ts';
import { makeDeleteWorkspaceData } from './projects/delete-workspace-data.ts';
import { makeProjects } from './projects/make-projects.ts';
import { ProjectQuota } from './projects/project-quota.ts';
import { openRetention } from './retention/open-retention.ts';
import { makeRuns } from './runs/make-runs.ts';
import type { PresentRun } from './runs/project-runs.ts';
import { openSchedule } from './schedule/open-schedule.ts';
import { ProjectStore } from './store/project-store.ts';
import { ProjectWriter } from './store/project-writer.ts';

/** Projects: what is captured, with which config and when. Starts runs; crawl performs them. */
export const projects = defineService({
  name: 'projects',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, CRAWL_ADDR, SCRAPE_ADDR, EXPORT_ADDR } = app.config;
    const now = () => new Date();
    const pool = app.own(openPool(DATABASE_URL, 'projects'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'projects') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'projects', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'projects', app.log));
    const send = outbox.send.bind(outbox);
    const crawl = app.dial('crawl', CRAWL_ADDR);
    const scrape = app.dial('scrape', SCRAPE_ADDR);
    const exports = app.dial('export', EXPORT_ADDR);
    const admit = makeRequirePublicUrl(checkingGuardFromConfig(app.config));

    const sealer = new Sealer(app.config.SEALING_KEYS);
    const store = new ProjectStore(pool, db, sealer);
    const writer = new ProjectWriter({ pool, seals: sealer, masking, send });
    const quota = new ProjectQuota(store, app.config.MAX_PROJECTS);
    const { logins, loginProjects, checkLogin } = makeLogins({ pool, scrape });
    const checkConfigChange = makeCheckConfigChange({ crawl, scrape, exports, admit });

    const versions = new ConfigVersions(pool, store);
    const restoreConfig = makeRestoreConfig({ projects: store, writer, versions, checkLogin, checkConfigChange, now });
    const runs = makeRuns({ store, logins, crawl, exports });
    const presentRun: PresentRun = (context, projectId) => runs.runs.present(context, projectId);
    const useCases = makeProjects({
      store,
      writer,
      quota,
      admit,
      checkLogin,
      checkConfigChange,
      presentRun,
      send,
      now,
    });
    const recordRunEnd = makeRecordRunEnd({ pool, logins, send });
    const keepCrawl = openKeepCrawl({
      app,
      pool,
      store,
      writer,
      quota,
      crawl,
      checkConfigChange,
      admit,
      recordRunEnd,
      now,
    });
    const previews = new ConfigPreviews(store, crawl);
    const deleteData = makeDeleteWorkspaceData({ pool, writer, send });
    const states = app.own(new WorkspaceStates({ pool, bus, consumer: 'projects', deleteData, log: app.log }));
    const isActive = (workspaceId: string) => states.isActive(workspaceId);
    const everyMs = app.config.SCHEDULE_SECONDS * 1_000;
    openSchedule({ app, pool, startRun: runs.startRun, isActive, everyMs, now });
    openRetention({ app, pool, crawl, now });
    app.own(new IdempotencyKeys(pool).openExpiry(app.log));
    bus.consume(events.runFinished, 'projects', makeOnRunFinished(recordRunEnd));

    const toWire = makeToWire(masking);
    app.serve(ProjectsServiceService, [
      ...projectMethods(useCases, toWire),
      ...runMethods({ runs, keepCrawl, toWire }),
      ...previewMethods(previews, toWire),
      ...channelMethods({ projects: store, channels: new ChannelStore(pool, sealer), masking }),
      ...loginMethods(loginProjects),
      ...configVersionMethods({ versions, restoreConfig }, toWire),
      ...feedMethods(new FeedLinks({ pool, projects: store, send, now })),
    ]);
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
