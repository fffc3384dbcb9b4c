import {
  ATTEMPT_REASONS,
  CHANNEL_KINDS,
  CHANNEL_STATES,
  type Channel,
  DELIVERY_KINDS,
  DELIVERY_STATUSES,
  type Delivery,
  type Webhook,
} from '@tidemark/api';
import type {
  GetWebhookResponse,
  Channel as WireChannel,
  Delivery as WireDelivery,
  Health as WireHealth,
} from '@tidemark/contracts/delivery/v1/delivery';
import { AppError } from '@tidemark/errors';
import { CHAT_SERVICES } from '@tidemark/project-config';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';

const orNull = (at: Date | undefined): string | null => (at === undefined ? null : timeOf(at));

function toHealth(health: WireHealth | undefined): Channel['health'] {
  if (health === undefined) throw new AppError('internal', 'delivery returned no health');
  return {
    state: oneOf(CHANNEL_STATES, health.state),
    lastDeliveredAt: orNull(health.lastDeliveredAt),
    lastFailedAt: orNull(health.lastFailedAt),
    lastStatus: health.lastStatus ?? null,
    lastError: health.lastError ?? null,
    waiting: health.waiting,
    paused: health.paused,
  };
}

export const toChannel = (channel: WireChannel): Channel => ({
  projectId: channel.projectId,
  projectName: channel.projectName ?? null,
  seed: channel.seed,
  kind: oneOf(CHANNEL_KINDS, channel.kind),
  service: channel.service === undefined ? null : oneOf(CHAT_SERVICES, channel.service),
  url: channel.url,
  events: channel.events,
  health: toHealth(channel.health),
});

export function toDelivery(delivery: WireDelivery | undefined): Delivery {
  if (delivery === undefined) throw new AppError('internal', 'delivery returned no delivery');
  return {
    id: delivery.id,
    projectId: delivery.projectId ?? null,
    runId: delivery.runId ?? null,
    event: delivery.event,
    kind: oneOf(DELIVERY_KINDS, delivery.kind),
    receiver: delivery.receiver,
    status: oneOf(DELIVERY_STATUSES, delivery.status),
    attempts: delivery.attempts,
    lastStatus: delivery.lastStatus ?? null,
    lastError: delivery.lastError ?? null,
    nextAt: orNull(delivery.nextAt),
    createdAt: timeOf(delivery.createdAt),
    deliveredAt: orNull(delivery.deliveredAt),
    test: delivery.isTest,
    log: delivery.log.map(({ number, at, url, status, error, durationMs, answer, by }) => ({
      number,
      at: timeOf(at),
      url: url ?? null,
      status: status ?? null,
      error: error ?? null,
      durationMs,
      answer,
      by: oneOf(ATTEMPT_REASONS, by),
    })),
  };
}

export const toWebhook = (found: GetWebhookResponse, requestId: string): Webhook => ({
  url: found.url ?? null,
  events: found.events,
  secret: found.secret ?? null,
  secretHidden: found.isSecretHidden,
  previousSecretUntil: orNull(found.previousUntil),
  health: toHealth(found.health),
  deliveries: found.deliveries.map(toDelivery),
  creditsUsed: 0,
  request_id: requestId,
});
