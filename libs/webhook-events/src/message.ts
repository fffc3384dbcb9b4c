import { JsonObject } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';
import { CREDIT_EVENTS } from './credit-events.ts';
import { BATCH_EVENT_KINDS, CRAWL_EVENT_KINDS } from './job-events.ts';
import { RUN_EVENTS } from './run-events.ts';
import { SITE_EVENTS } from './site-events.ts';
import { SYNC_EVENTS } from './sync-events.ts';

/** All webhook events. */
export const EVENTS = {
  ...RUN_EVENTS,
  ...SITE_EVENTS,
  ...SYNC_EVENTS,
  ...CREDIT_EVENTS,
  ...CRAWL_EVENT_KINDS,
  ...BATCH_EVENT_KINDS,
} as const;
export type EventName = keyof typeof EVENTS;
/** The `data` of an event's message. */
export type EventData<E extends EventName> = z.output<(typeof EVENTS)[E]['data']>;

/** The fields of every message around `data`. */
export const MessageEnvelope = z.object({
  id: z
    .string()
    .describe('Id of the delivery, the same for every attempt, and the same as X-Service-Delivery and webhook-id'),
  event: z.string(),
  createdAt: Time,
  ts: z.int().describe('`createdAt` in Unix seconds'),
  project: z.object({ id: z.string(), host: z.string() }).optional().describe('Present in events of a project'),
  run: z.object({ id: z.string() }).optional().describe('The run of the project that the event is about'),
  job: z.object({ id: z.string(), kind: z.string() }).optional().describe('Present in events of a job'),
  metadata: JsonObject.optional().describe('As given with the webhook'),
  test: z.literal(true).optional().describe('A test message: nothing happened'),
});
export type MessageEnvelope = z.output<typeof MessageEnvelope>;

/** Returns the schema of a complete message of one event. */
export function messageSchema<E extends EventName>(name: E) {
  return MessageEnvelope.extend({ event: z.literal(name), data: EVENTS[name].data });
}

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS).filter(isEventName);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

const PROJECT = { id: 'prj_01kf2q7m5de4g8rj0w3x9y1zab', host: 'example.com' };

/** Returns an example message of one event. */
export function exampleOf(name: EventName): Readonly<Record<string, unknown>> {
  const createdAt = '2026-05-04T06:12:43.000Z';
  const isOf = (kinds: object): boolean => Object.hasOwn(kinds, name);
  return {
    id: 'whd_01kf2qd0v8e5t9m3b7h2n6x4cz',
    event: name,
    createdAt,
    ts: Date.parse(createdAt) / 1_000,
    data: EVENTS[name].example,
    ...(isOf(RUN_EVENTS) || isOf(SITE_EVENTS) || isOf(SYNC_EVENTS) || isOf(CREDIT_EVENTS) ? { project: PROJECT } : {}),
    ...(isOf(RUN_EVENTS) || isOf(SYNC_EVENTS) ? { run: { id: 'run_01kf2q7m5de4g8rj0w3x9y1zab' } } : {}),
    ...(isOf(CRAWL_EVENT_KINDS) ? { job: { id: 'run_01kf2q7m5de4g8rj0w3x9y1zab', kind: 'crawl' } } : {}),
    ...(isOf(BATCH_EVENT_KINDS) ? { job: { id: 'job_01kf2q7m5de4g8rj0w3x9y1zab', kind: 'batch' } } : {}),
  };
}
