import { DeliveryServiceService } from '@tidemark/contracts/delivery/v1/delivery';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { type App, Bus, type ConfigOf, defineService, openPool, PeriodicTask, pingDatabase } from '@tidemark/service';
import { config } from './config.ts';
import { deliveryGrpc } from './grpc/delivery-methods.ts';
import { makeListChannels } from './list-channels.ts';
import { Inbox } from './notices/inbox.ts';
import { noticeMethods } from './notices/notice-methods.ts';
import { NoticeStore } from './notices/notice-store.ts';
import { makePeople } from './notices/people.ts';
import { newSecret } from './secrets/new-secret.ts';
import { SecretStore } from './secrets/secret-store.ts';
import { WebhookDesk } from './secrets/webhook-desk.ts';
import { openSending } from './sending/open-sending.ts';
import { askProjects, rememberChannels } from './sending/project-channels.ts';
import { followDatabase } from './store/database-clock.ts';
import { Deliveries } from './store/deliveries.ts';
import { Discards } from './store/discards.ts';
import { forgetOld } from './store/upkeep.ts';
import { openTelling } from './telling/open-telling.ts';
import { testMessage } from './telling/run-messages.ts';

/** How often deliveries are looked for that are due again, or whose sender has died. */
const LOOK_EVERY_MS = 1_000;
const SWEEP_MS = 10 * 60_000;
const CONNECTIONS = 12;

/** Telling people and machines: whoever asked to know does, once, signed, with proof of every attempt. */
export const delivery = defineService({
  name: 'delivery',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, MAIL_URL, MAIL_FROM, CONSOLE_URL: consoleUrl } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'delivery', CONNECTIONS));
    const bus = app.own(await Bus.connect(NATS_URL, 'delivery', app.log));
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const peers = dialPeers(app);
    const { projects } = peers;
    const isMailOn = MAIL_URL !== '';
    const now = await followDatabase(pool, app);
    const { log } = app;

    const channels = rememberChannels(askProjects(projects), () => performance.now());
    const { queue, dispatcher } = openSending(app, {
      ...{ pool, sealer, guard, now, lookEveryMs: LOOK_EVERY_MS },
      openChannels: channels.recent,
      mail: { url: MAIL_URL, from: MAIL_FROM },
    });
    const sendNow = (id: string, lane: string) => dispatcher.sendNow(id, lane);
    const deliveries = new Deliveries(pool);
    const discards = new Discards(pool);
    const notices = new NoticeStore(pool);
    const connections = app.dial('export', app.config.EXPORT_ADDR);
    const client = app.own(createHttpClient(guard));
    const people = makePeople({ notices, connections, client, isMailOn, consoleUrl, log });
    const forgetProjects = async (projectIds: readonly string[]) => {
      await discards.forgetProjects(projectIds);
      for (const id of projectIds) while ((await notices.forgetProject(id)) > 0);
    };
    openTelling(app, { pool, bus, peers, queue, people, forgetProjects, now });

    const secrets = new SecretStore(pool, sealer);
    const webhooks = new WebhookDesk({
      ...{ pool, openChannels: channels.fresh, queue, secrets, deliveries, testMessage, sendNow, newSecret, now },
    });
    app.serve(
      DeliveryServiceService,
      deliveryGrpc({
        listChannels: makeListChannels({ pool, projects, openChannels: channels.fresh }),
        ...{ webhooks, deliveries, now },
        // Somebody who redelivers may have mended the address a moment ago: what was remembered of it is forgotten.
        async sendAgain({ id, lane, projectId }, workspaceId) {
          if (projectId !== '') await channels.fresh(workspaceId, projectId).catch(() => undefined);
          await sendNow(id, lane);
        },
        notices: noticeMethods(new Inbox({ notices, isMailOn })),
      }),
    );
    sweep(app, async (goesOn) => {
      await forgetOld(discards, { now: now(), days: app.config.DELIVERY_DAYS }, goesOn);
      while (goesOn() && (await notices.forgetSome(now())) > 0);
    });
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});

/** The services that know what is told of. */
function dialPeers({ config: at, dial }: Pick<App<ConfigOf<typeof config>>, 'config' | 'dial'>) {
  return {
    crawl: dial('crawl', at.CRAWL_ADDR),
    map: dial('map', at.MAP_ADDR),
    projects: dial('projects', at.PROJECTS_ADDR),
    diff: dial('diff', at.DIFF_ADDR),
  };
}

/** Forgets what has had its time, again and again. */
function sweep({ own, log }: Pick<App<unknown>, 'own' | 'log'>, round: (goesOn: () => boolean) => Promise<void>): void {
  const failed = 'old deliveries could not be forgotten; the next round tries';
  own(new PeriodicTask({ everyMs: SWEEP_MS, run: round, failed, log }));
}
