import { routes } from '@tidemark/api';
import { DeliveryServiceService as Rpc } from '@tidemark/contracts/delivery/v1/delivery';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { checkedCursor } from '../checked-cursor.ts';
import { checkedId } from '../checked-id.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { timeOf } from '../scrape/job-envelope.ts';
import { toChannel, toDelivery, toWebhook } from './webhook-answer.ts';

/** Deliveries told with a webhook. */
const SHOWN_DELIVERIES = 20;
/** A receiver may take ten seconds to answer, and is asked twice where it does not know a new secret yet. */
const SENT_WITHIN_MS = 25_000;

/** A page of channels may end between the two of one project. */
const BETWEEN_TWO = /:webhook$/;

/** @throws AppError validation for what is no cursor of the list */
function checkedChannelCursor(cursor: string): string {
  checkedCursor('prj', cursor.replace(BETWEEN_TWO, ''));
  return cursor;
}

/** Who is told of what projects bring, and how each message went. */
export function webhookEndpoints(delivery: Peer): Endpoint[] {
  return [...channelEndpoints(delivery), ...ownEndpoints(delivery), ...deliveryEndpoints(delivery)];
}

function channelEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.listWebhooks, async ({ query, baseUrl, call, requestId }) => {
      const { limit } = query;
      const found = await delivery.call(Rpc.listChannels, { limit, cursor: checkedChannelCursor(query.cursor) }, call);
      const at = `${baseUrl}/webhooks?limit=${limit}`;
      const next = found.next === '' ? null : `${at}&cursor=${encodeURIComponent(found.next)}`;
      const data = found.channels.map(toChannel);
      return { status: 200, body: { data, next, cursor: found.next || null, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function ownEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.getWebhook, async ({ params, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id), deliveries: SHOWN_DELIVERIES };
      return { status: 200, body: toWebhook(await delivery.call(Rpc.getWebhook, asked, call), requestId) };
    }),

    endpoint(routes.testWebhook, async ({ params, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id) };
      const sent = await delivery.call(Rpc.testWebhook, asked, call, { deadlineMs: SENT_WITHIN_MS });
      return { status: 200, body: { ...toDelivery(sent.delivery), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.rotateSecret, async ({ params, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id) };
      const { secret, previousUntil } = await delivery.call(Rpc.rotateSecret, asked, call);
      const previousSecretUntil = timeOf(previousUntil);
      return { status: 200, body: { secret, previousSecretUntil, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function deliveryEndpoints(delivery: Peer): Endpoint[] {
  return [
    endpoint(routes.listDeliveries, async ({ query, baseUrl, call, requestId }) => {
      const { runId = '', projectId = '', status = '', limit } = query;
      const cursor = checkedCursor('whd', query.cursor);
      const found = await delivery.call(Rpc.listDeliveries, { runId, projectId, status, limit, cursor }, call);
      const chosen = Object.entries({ runId, projectId, status }).filter(([, value]) => value !== '');
      const asked = new URLSearchParams([['limit', String(limit)], ...chosen, ['cursor', found.next]]);
      const next = found.next === '' ? null : `${baseUrl}/webhooks/deliveries?${asked}`;
      const data = found.deliveries.map(toDelivery);
      return { status: 200, body: { data, next, cursor: found.next || null, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.redeliver, async ({ params, call, requestId }) => {
      const asked = { id: checkedId('whd', params.id, 'delivery') };
      const sent = await delivery.call(Rpc.redeliver, asked, call, { deadlineMs: SENT_WITHIN_MS });
      return { status: 200, body: { ...toDelivery(sent.delivery), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
