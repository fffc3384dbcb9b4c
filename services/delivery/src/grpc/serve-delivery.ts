import { DeliveryServiceService } from '@tidemark/contracts/delivery/v1/delivery';
import type { Sealer } from '@tidemark/sealing';
import type { App, OutgoingEvent, Peer } from '@tidemark/service';
import type pg from 'pg';
import { makeListChannels } from '../channels/list-channels.ts';
import type { CachedChannels } from '../channels/project-channels.ts';
import { ProjectWebhooks } from '../channels/project-webhooks.ts';
import { makeRedeliver } from '../channels/redeliver.ts';
import { SecretStore } from '../channels/secret-store.ts';
import { newSecret } from '../domain/new-secret.ts';
import type { Inbox } from '../notices/inbox.ts';
import { noticeMethods } from '../notices/notice-methods.ts';
import type { Sending } from '../sending/open-sending.ts';
import { Deliveries } from '../store/deliveries.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import { testMessage } from '../webhook-messages/run-messages.ts';
import { deliveryGrpc } from './delivery-methods.ts';

export interface GrpcDeps {
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly projects: Peer;
  readonly channels: CachedChannels;
  readonly sending: Pick<Sending, 'queue' | 'receivers' | 'dispatcher'>;
  readonly inbox: Inbox;
  readonly links: ApiLinks;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/** Serves DeliveryService. */
export function serveDelivery(
  app: Pick<App<unknown>, 'serve'>,
  { pool, sealer, projects, channels, sending, inbox, links, send, now }: GrpcDeps,
): void {
  const openChannels = channels.fresh;
  const sendNow = (id: string, queueKey: string) => sending.dispatcher.sendNow(id, queueKey);
  const deliveries = new Deliveries(pool);
  const secrets = new SecretStore(pool, sealer);
  const webhooks = new ProjectWebhooks({
    pool,
    openChannels,
    queue: sending.queue,
    secrets,
    deliveries,
    testMessage: (workspaceId, channels, key, at) => testMessage({ workspaceId, channels, key, at, links }),
    sendNow,
    newSecret,
    send,
    now,
  });
  app.serve(
    DeliveryServiceService,
    deliveryGrpc({
      listChannels: makeListChannels({ pool, projects, openChannels }),
      webhooks,
      deliveries,
      redeliver: makeRedeliver({ pool, deliveries, receivers: sending.receivers, openChannels, sendNow, now }),
      notices: noticeMethods(inbox),
    }),
  );
}
