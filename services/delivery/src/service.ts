import { createHttpClient, guardFromConfig, makeDialConfigured, outboundProxyOf } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import {
  type App,
  Bus,
  type ConfigOf,
  defineService,
  deleteWorkspaceRows,
  Outbox,
  openPool,
  PeriodicTask,
  pingDatabase,
  WorkspaceStates,
} from '@tidemark/service';
import { cacheChannels, makeOpenChannels } from './channels/project-channels.ts';
import { config } from './config.ts';
import { makeRecordTokens } from './digest/record-tokens.ts';
import { openEvents } from './events/open-events.ts';
import { serveDelivery } from './grpc/serve-delivery.ts';
import { makeAccountMessages } from './mail/account-messages.ts';
import { makeMemberMessages } from './member-messages/make-member-messages.ts';
import { Inbox } from './notices/inbox.ts';
import { makeStoreCreditsNotice } from './notices/store-credits-notice.ts';
import { consoleOrigin } from './report/console-origin.ts';
import { openSending } from './sending/open-sending.ts';
import { openDatabaseClock } from './store/database-clock.ts';
import { deleteExpired } from './store/delete-expired.ts';
import { observeDeliveries } from './store/delivery-metrics.ts';
import { NoticeStore } from './store/notice-store.ts';
import { RetentionStore } from './store/retention-store.ts';
import { apiLinks } from './webhook-messages/api-links.ts';

/** Poll interval for deliveries that are due again or whose claim has expired, ms. */
const POLL_INTERVAL_MS = 1_000;
const SWEEP_MS = 10 * 60_000;
const CONNECTIONS = 12;

/** Sends webhooks, chat messages and mails at least once under a stable id, and logs every attempt. */
export const delivery = defineService({
  name: 'delivery',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, MAIL_URL, MAIL_FROM, PUBLIC_URL, CONSOLE_URL } = app.config;
    const consoleUrl = consoleOrigin({ consoleUrl: CONSOLE_URL, publicUrl: PUBLIC_URL });
    const pool = app.own(openPool(DATABASE_URL, 'delivery', CONNECTIONS));
    const bus = app.own(await Bus.connect(NATS_URL, 'delivery', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'delivery', app.log));
    const guard = guardFromConfig(app.config);
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const peers = dialPeers(app);
    const { projects } = peers;
    const isMailOn = MAIL_URL !== '';
    const now = await openDatabaseClock(pool, app);
    const { log } = app;

    const channels = cacheChannels(makeOpenChannels(projects), () => performance.now());
    const sending = openSending(app, {
      pool,
      sealer,
      guard,
      now,
      pollIntervalMs: POLL_INTERVAL_MS,
      openChannels: channels.recent,
      mail: { url: MAIL_URL, from: MAIL_FROM, openSocket: makeDialConfigured(outboundProxyOf(app.config)) },
    });
    const retention = new RetentionStore(pool);
    const notices = new NoticeStore(pool);
    const connections = app.dial('export', app.config.EXPORT_ADDR);
    const client = app.own(createHttpClient(guard));
    const members = makeMemberMessages({
      notices,
      connections,
      client,
      isMailOn,
      consoleUrl,
      log,
      recordTokens: makeRecordTokens(pool, outbox),
    });
    const deleteProjects = async (projectIds: readonly string[]) => {
      await retention.deleteProjects(projectIds);
      for (const id of projectIds) while ((await notices.deleteProject(id)) > 0);
    };
    const deleteData = async (workspaceId: string) => {
      await retention.deleteDeliveriesOf(workspaceId);
      while ((await notices.deleteWorkspace(workspaceId)) > 0);
      await deleteWorkspaceRows(pool, workspaceId);
    };
    app.own(new WorkspaceStates({ pool, bus, consumer: 'delivery', deleteData, log }));
    const openUrl = (sealed: Uint8Array, jobId: string) => sealer.open(sealed, `${jobId}:url`);
    const links = apiLinks(PUBLIC_URL);
    const accountMessages = isMailOn ? makeAccountMessages(sealer, consoleUrl) : () => [];
    const { queue } = sending;
    const storeCreditsNotice = makeStoreCreditsNotice({ pool, notices, isMailOn, now });
    openEvents(app, {
      pool,
      bus,
      peers,
      queue,
      members,
      storeCreditsNotice,
      deleteProjects,
      openUrl,
      links,
      accountMessages,
      now,
    });

    const inbox = new Inbox({ notices, isMailOn });
    const send = outbox.send.bind(outbox);
    serveDelivery(app, { pool, sealer, projects, channels, sending, inbox, links, send, now });
    sweep(app, async (isOpen) => {
      await deleteExpired(retention, { now: now(), days: app.config.DELIVERY_DAYS }, isOpen);
      while (isOpen() && (await notices.deleteExpired(now())) > 0);
    });
    observeDeliveries(pool);
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});

/** Dials the services whose data messages are composed from. */
function dialPeers({ config: at, dial }: Pick<App<ConfigOf<typeof config>>, 'config' | 'dial'>) {
  return {
    crawl: dial('crawl', at.CRAWL_ADDR),
    map: dial('map', at.MAP_ADDR),
    projects: dial('projects', at.PROJECTS_ADDR),
    diff: dial('diff', at.DIFF_ADDR),
  };
}

/** Runs the retention sweep periodically. */
function sweep(
  { own, log }: Pick<App<unknown>, 'own' | 'log'>,
  sweepOnce: (isOpen: () => boolean) => Promise<void>,
): void {
  const failed = 'retention sweep failed, will retry';
  own(new PeriodicTask({ everyMs: SWEEP_MS, run: sweepOnce, failed, log }));
}
