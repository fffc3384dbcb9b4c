import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';
import { ProjectId } from '../schemas/project.ts';
import { AnsweredDelivery, Channel, DELIVERY_STATUSES, Delivery, RotatedSecret, Webhook } from '../schemas/webhook.ts';

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
    summary: 'Every project’s webhook and chat channel, and how deliveries to it go',
    description: 'By project, newest first. A project with neither is not listed.',
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
    summary: 'A project’s webhook: its events, its health and its newest deliveries',
    description:
      'The signing secret is told to keys with the scope `admin`; others are told `secretHidden`, and no secret is made by their asking.',
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
      'A run.finished with `test: true`, signed like any other. The answer waits for the attempt, a few seconds at most.',
    responses: { 200: AnsweredDelivery },
  }),
  rotateSecret: route({
    ...ofProject,
    id: 'rotateSecret',
    method: 'post',
    path: '/projects/{id}/webhooks/secret',
    scope: 'admin',
    summary: 'Make a new signing secret',
    description: 'For a day messages carry a signature by the secret before, too, so that receivers can follow.',
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
      runId: RunOrJob.optional().describe('Only those that tell of this run, crawl or batch'),
      projectId: ProjectId.optional().describe('Only those of this project'),
      status: z.enum(DELIVERY_STATUSES).optional().describe('Only those that stand so'),
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
    method: 'post',
    path: '/webhooks/deliveries/{id}/redeliver',
    scope: 'write',
    summary: 'Send a delivery again now',
    description:
      'Under the same id and with the same body; its earlier attempts are kept. GET /webhooks/deliveries tells how it goes.',
    responses: { 200: AnsweredDelivery },
  }),
} as const;
