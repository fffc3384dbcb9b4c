import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';
import { ProjectId } from '../schemas/project.ts';
import { Channel, DELIVERY_STATUSES, Delivery, DeliveryResponse, RotatedSecret, Webhook } from '../schemas/webhook.ts';

const all = { tag: 'Webhooks', params: nothing };
const ofProject = {
  tag: 'Webhooks',
  params: z.strictObject({ id: z.string().describe('The project, such as prj_01j…') }),
  query: nothing,
  body: nothing,
};

const RunOrJob = z
  .string()
  .regex(/^(?:run|job)_[0-9a-z]{26}$/, 'expected the id of a run, a crawl or a batch, such as run_01j…');

export const webhookRoutes = {
  listWebhooks: route({
    ...all,
    id: 'listWebhooks',
    method: 'get',
    path: '/webhooks',
    scope: 'read',
    summary: 'Webhooks and chat channels of all projects, with their health',
    description: 'Ordered by project, newest first. Projects without a webhook and a chat channel are not listed.',
    query: z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) }),
    body: nothing,
    responses: { 200: listOf(Channel) },
  }),
  getWebhook: route({
    ...ofProject,
    id: 'getWebhook',
    method: 'get',
    path: '/projects/{id}/webhooks',
    scope: 'read',
    summary: 'The webhook of a project: events, health and newest deliveries',
    description:
      'The signing secret is returned to keys with the scope `admin`. Other keys get `secretHidden`, and their request never creates a secret.',
    responses: { 200: Webhook },
  }),
  testWebhook: route({
    ...ofProject,
    id: 'testWebhook',
    method: 'post',
    path: '/projects/{id}/webhooks/test',
    scope: 'write',
    summary: 'Send a test message now',
    description:
      'Sends a run.finished message with `test: true`, signed like any other. It is sent once: a failed test is not repeated and does not change the health of the webhook. The response waits for the attempt, a few seconds at most.',
    responses: { 200: DeliveryResponse },
  }),
  rotateSecret: route({
    ...ofProject,
    id: 'rotateSecret',
    method: 'post',
    path: '/projects/{id}/webhooks/secret',
    scope: 'admin',
    session: { freshCode: true },
    summary: 'Rotate the signing secret',
    description: 'For one day messages are also signed with the previous secret, so that receivers can switch.',
    responses: { 200: RotatedSecret },
  }),
  listDeliveries: route({
    ...all,
    id: 'listDeliveries',
    method: 'get',
    path: '/webhooks/deliveries',
    scope: 'read',
    summary: 'Deliveries, newest first, attempt by attempt',
    query: z.strictObject({
      runId: RunOrJob.optional().describe(
        'Only deliveries about this run, crawl or batch; an id that does not exist matches nothing',
      ),
      projectId: ProjectId.optional().describe(
        'Only deliveries of this project; an id that does not exist matches nothing',
      ),
      status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries with this status'),
      cursor: Cursor,
      limit: limit(50, 200),
    }),
    body: nothing,
    responses: { 200: listOf(Delivery) },
  }),
  redeliver: route({
    tag: 'Webhooks',
    params: z.strictObject({ id: z.string().describe('The delivery, such as whd_01j…') }),
    query: nothing,
    body: nothing,
    id: 'redeliver',
    refusals: { conflict: 'The delivery is being sent at this moment.' },
    method: 'post',
    path: '/webhooks/deliveries/{id}/redeliver',
    scope: 'write',
    summary: 'Send a delivery again now',
    description:
      'Uses the same id and body; earlier attempts stay in the log. It is sent to the current `webhook_url` or `chat_url` of the project, while the retries of a message stay at the address it was created for. GET /webhooks/deliveries returns the result.',
    responses: { 200: DeliveryResponse },
  }),
} as const;
