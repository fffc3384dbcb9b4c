import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ListChannels } from '../channels/list-channels.ts';
import type { ProjectWebhooks } from '../channels/project-webhooks.ts';
import type { Redeliver } from '../channels/redeliver.ts';
import type { Deliveries } from '../store/deliveries.ts';
import { toWireChannel, toWireDelivery, toWireHealth } from './to-wire.ts';

export interface DeliveryUseCases {
  readonly listChannels: ListChannels;
  readonly webhooks: ProjectWebhooks;
  readonly deliveries: Deliveries;
  readonly redeliver: Redeliver;
  /** ListNotices and DismissNotice. */
  readonly notices: readonly BoundMethod[];
}

const MAX_CHANNELS = 1_000;
const MAX_DELIVERIES = 200;
const clamp = (requested: number, max: number): number => Math.min(Math.max(Math.trunc(requested), 1), max);

/** Binds DeliveryService's methods to the use cases. */
export function deliveryGrpc({ listChannels, webhooks, deliveries, ...useCases }: DeliveryUseCases): BoundMethod[] {
  return [
    handle(Rpc.listChannels, async ({ limit, cursor }, ctx) => {
      const call = { requestId: ctx.requestId, caller: callerOf(ctx) };
      const { channels, next } = await listChannels(call, { limit: clamp(limit, MAX_CHANNELS), cursor });
      return { channels: channels.map(toWireChannel), next };
    }),
    handle(Rpc.getWebhook, async ({ projectId, deliveries: requested }, ctx) => {
      const max = requested <= 0 ? 0 : clamp(requested, MAX_DELIVERIES);
      const webhook = await webhooks.get(callerOf(ctx), projectId, max);
      return {
        ...webhook,
        events: [...webhook.events],
        health: toWireHealth(webhook.health),
        deliveries: webhook.deliveries.map(toWireDelivery),
      };
    }),
    handle(Rpc.testWebhook, async ({ projectId }, ctx) => ({
      delivery: toWireDelivery(await webhooks.test(callerOf(ctx), projectId)),
    })),
    handle(Rpc.rotateSecret, async ({ projectId }, ctx) => webhooks.rotate(callerOf(ctx), projectId)),
    handle(Rpc.listDeliveries, async ({ runId, projectId, limit: requested, cursor, status }, ctx) => {
      const limit = clamp(requested, MAX_DELIVERIES);
      const query = { runId, projectId, status, before: cursor, limit: limit + 1 };
      const found = await deliveries.list(callerOf(ctx), query);
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return { deliveries: page.map(toWireDelivery), next };
    }),
    handle(Rpc.redeliver, async ({ id }, ctx) => ({
      delivery: toWireDelivery(await useCases.redeliver(callerOf(ctx), id)),
    })),
    ...useCases.notices,
  ];
}
