import { type Caller, isId } from '@tidemark/contracts';
import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { makeListChannels } from '../list-channels.ts';
import type { WebhookDesk } from '../secrets/webhook-desk.ts';
import type { Deliveries, DeliveryRow } from '../store/deliveries.ts';
import { toWireChannel, toWireDelivery, toWireHealth } from './to-wire.ts';

export interface DeliveryFace {
  readonly listChannels: ReturnType<typeof makeListChannels>;
  readonly webhooks: WebhookDesk;
  readonly deliveries: Deliveries;
  /** Sends it now, where its project is told by now. */
  readonly sendAgain: (delivery: DeliveryRow, workspaceId: string) => Promise<void>;
  readonly now: () => Date;
  /** ListNotices and DismissNotice. */
  readonly notices: readonly BoundMethod[];
}

const MOST_CHANNELS = 1_000;
const MOST_DELIVERIES = 200;
const within = (asked: number, most: number): number => Math.min(Math.max(Math.trunc(asked), 1), most);

/** The face of delivery: proto in, use case, proto out. */
export function deliveryGrpc({ listChannels, webhooks, deliveries, ...face }: DeliveryFace): BoundMethod[] {
  return [
    handle(Rpc.listChannels, async ({ limit, cursor }, ctx) => {
      const call = { requestId: ctx.requestId, caller: callerOf(ctx) };
      const { channels, next } = await listChannels(call, { limit: within(limit, MOST_CHANNELS), cursor });
      return { channels: channels.map(toWireChannel), next };
    }),
    handle(Rpc.getWebhook, async ({ projectId, deliveries: asked }, ctx) => {
      const most = asked <= 0 ? 0 : within(asked, MOST_DELIVERIES);
      const webhook = await webhooks.get(callerOf(ctx), projectId, most);
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
    handle(Rpc.listDeliveries, async ({ runId, projectId, limit: asked, cursor, status }, ctx) => {
      const limit = within(asked, MOST_DELIVERIES);
      const wish = { runId, projectId, status, before: cursor, limit: limit + 1 };
      const found = await deliveries.list(callerOf(ctx), wish);
      const told = found.slice(0, limit);
      const next = found.length > limit ? (told.at(-1)?.id ?? '') : '';
      return { deliveries: told.map(toWireDelivery), next };
    }),
    handle(Rpc.redeliver, async ({ id }, ctx) => ({ delivery: toWireDelivery(await redeliver(callerOf(ctx), id)) })),
    ...face.notices,
  ];

  async function redeliver(caller: Caller, id: string): Promise<DeliveryRow> {
    const found = isId('whd', id) ? await deliveries.find(caller, id) : undefined;
    if (found === undefined) throw new AppError('not_found', 'there is no such delivery');
    if (!(await deliveries.makeDue(caller, id, face.now())))
      throw new AppError('conflict', 'this delivery is being sent at this moment');
    const due = (await deliveries.find(caller, id)) ?? found;
    void face.sendAgain(found, caller.workspaceId).catch(() => undefined);
    return due;
  }
}
