import { type Caller, isId } from '@tidemark/contracts';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type pg from 'pg';
import type { MessageReceiver } from '../domain/new-message.ts';
import { hostOf, queueKeyOf } from '../domain/receiver-address.ts';
import type { Deliveries, DeliveryRow, SealedAddress } from '../store/deliveries.ts';
import type { Receivers } from '../store/receivers.ts';
import type { OpenChannels } from './project-channels.ts';

export interface RedeliverDeps {
  readonly pool: pg.Pool;
  readonly deliveries: Deliveries;
  readonly receivers: Receivers;
  /** Uncached: the address may have been corrected just before. */
  readonly openChannels: OpenChannels;
  readonly sendNow: (id: string, queueKey: string) => Promise<void>;
  readonly now: () => Date;
}

/**
 * Sends a delivery again, to the current address of its project. The use case @throws AppError not_found, and conflict while the delivery is
 * being sent.
 */
export type Redeliver = (caller: Caller, id: string) => Promise<DeliveryRow>;

export function makeRedeliver({ pool, deliveries, receivers, openChannels, sendNow, now }: RedeliverDeps): Redeliver {
  return async (caller, id) => {
    const found = isId('whd', id) ? await deliveries.find(caller, id) : undefined;
    if (found === undefined) throw new AppError('not_found', 'delivery not found');
    const to = await currentAddress(caller.workspaceId, found);
    if (!(await deliveries.makeDue(caller, id, now(), to)))
      throw new AppError('conflict', 'this delivery is being sent at this moment');
    const due = (await deliveries.find(caller, id)) ?? found;
    void sendNow(id, due.queueKey).catch(() => undefined);
    return due;
  };

  /** Returns the address of the project's channel, if it differs from the delivery's. Without a response of projects, the address is kept. */
  async function currentAddress(workspaceId: string, delivery: DeliveryRow): Promise<SealedAddress | undefined> {
    const { id, projectId, receiverId, kind, queueKey: known } = delivery;
    if (projectId === '' || kind === 'mail') return undefined;
    const channels = await openChannels(workspaceId, projectId).catch(() => undefined);
    const channel = channels && channelOf(channels, kind);
    if (channel === undefined) return undefined;
    const receiver: MessageReceiver = { id: receiverId, workspaceId, projectId, ...channel };
    const queueKey = queueKeyOf(receiver);
    if (queueKey === known) return undefined;
    await receivers.upsert(pool, [receiver]);
    return { queueKey, host: hostOf(receiver), sealedUrl: receivers.sealUrl(receiver.url, id) };
  }
}

/** Returns the webhook or chat channel of a project; undefined where it has none. */
function channelOf(
  { webhookUrl, chatUrl, chatService }: Channels,
  kind: string,
): Pick<MessageReceiver, 'kind' | 'service' | 'url'> | undefined {
  if (kind === 'webhook') return webhookUrl === undefined ? undefined : { kind, service: '', url: webhookUrl };
  return chatUrl === undefined ? undefined : { kind: 'chat', service: chatService ?? '', url: chatUrl };
}
