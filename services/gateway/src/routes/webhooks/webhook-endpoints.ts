import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toChannel, toDelivery, toWebhook } from './webhook-response.ts';

/** Number of deliveries returned with a webhook. */
const SHOWN_DELIVERIES = 20;
/** Deadline of a send, ms: a receiver has ten seconds, twice if it does not accept a new secret yet. */
const SEND_DEADLINE_MS = 25_000;

/** Suffix of a position between the two channels of a project. */
const WEBHOOK_SUFFIX = /:webhook$/;

const isChannelPosition = (position: string): boolean => isId('prj', position.replace(WEBHOOK_SUFFIX, ''));

/** Endpoints of webhooks, chat channels and deliveries. */
export function webhookEndpoints(delivery: Peer): Endpoint[] {
  return [...channelEndpoints(delivery), ...ownEndpoints(delivery), ...deliveryEndpoints(delivery)];
}

function channelEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.listWebhooks, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { limit } = query;
      const cursor = cursors.open(query.cursor, isChannelPosition);
      const found = await delivery.call(Rpc.listChannels, { limit, cursor }, call);
      const at = `${baseUrl}/webhooks?limit=${limit}`;
      const nextPage = cursors.nextPage(at, found.next);
      const data = found.channels.map(toChannel);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function ownEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.getWebhook, async ({ params, call, requestId }) => {
      const request = { projectId: checkedProjectId(params.id), deliveries: SHOWN_DELIVERIES };
      return { status: 200, body: toWebhook(await delivery.call(Rpc.getWebhook, request, call), requestId) };
    }),

    endpoint(routes.testWebhook, async ({ params, call, requestId }) => {
      const request = { projectId: checkedProjectId(params.id) };
      const sent = await delivery.call(Rpc.testWebhook, request, call, { deadlineMs: SEND_DEADLINE_MS });
      return { status: 200, body: { ...toDelivery(sent.delivery), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.rotateSecret, async ({ params, call, requestId }) => {
      const request = { projectId: checkedProjectId(params.id) };
      const { secret, previousUntil } = await delivery.call(Rpc.rotateSecret, request, call);
      const previousSecretUntil = timeOf(previousUntil);
      return { status: 200, body: { secret, previousSecretUntil, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function deliveryEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.listDeliveries, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { runId, projectId, status, limit } = query;
      const cursor = cursors.openId('whd', query.cursor);
      const found = await delivery.call(Rpc.listDeliveries, { runId, projectId, status, limit, cursor }, call);
      const request = new URLSearchParams({ limit: String(limit) });
      for (const [name, value] of Object.entries({ runId, projectId, status }))
        if (value !== undefined) request.set(name, value);
      const nextPage = cursors.nextPage(`${baseUrl}/webhooks/deliveries?${request}`, found.next);
      const data = found.deliveries.map(toDelivery);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.redeliver, async ({ params, call, requestId }) => {
      const request = { id: checkedId('whd', params.id, 'delivery') };
      const sent = await delivery.call(Rpc.redeliver, request, call, { deadlineMs: SEND_DEADLINE_MS });
      return { status: 200, body: { ...toDelivery(sent.delivery), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
