import { z } from 'zod';
import { JsonObject } from '../schemas/config-values.ts';
import { Time } from '../schemas/parts.ts';
import { BATCH_EVENT_KINDS, CRAWL_EVENT_KINDS } from './job-events.ts';
import { RUN_EVENTS } from './run-events.ts';
import { SITE_EVENTS } from './site-events.ts';

/** Every event there is. */
export const EVENTS = { ...RUN_EVENTS, ...SITE_EVENTS, ...CRAWL_EVENT_KINDS, ...BATCH_EVENT_KINDS } as const;
export type EventName = keyof typeof EVENTS;
/** What an event's message holds as `data`. */
export type EventData<E extends EventName> = z.output<(typeof EVENTS)[E]['data']>;

/** What surrounds the data of every message. */
export const MessageEnvelope = z.object({
  id: z.string().describe('The delivery’s, stable over every attempt: the same as X-Service-Delivery and webhook-id'),
  event: z.string(),
  createdAt: Time,
  ts: z.int().describe('The same in Unix seconds'),
  project: z.object({ id: z.string(), host: z.string() }).optional().describe('Of a project’s events'),
  run: z.object({ id: z.string() }).optional().describe('The run of the project it tells of'),
  job: z.object({ id: z.string(), kind: z.string() }).optional().describe('Of a job’s events'),
  metadata: JsonObject.optional().describe('As it was given with the webhook'),
  test: z.literal(true).optional().describe('It was asked for, and nothing has happened'),
});
export type MessageEnvelope = z.output<typeof MessageEnvelope>;

/** A whole message of one event, as it is sent. */
export function messageSchema<E extends EventName>(name: E) {
  return MessageEnvelope.extend({ event: z.literal(name), data: EVENTS[name].data });
}

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS).filter(isEventName);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

const PROJECT = { id: 'prj_01kf2q7m5de4g8rj0w3x9y1zab', host: 'example.com' };

/** A message as a receiver would see it. */
export function exampleOf(name: EventName): Readonly<Record<string, unknown>> {
  const createdAt = '2026-05-04T06:12:43.000Z';
  const isOf = (kinds: object): boolean => Object.hasOwn(kinds, name);
  return {
    id: 'whd_01kf2qd0v8e5t9m3b7h2n6x4cz',
    event: name,
    createdAt,
    ts: Date.parse(createdAt) / 1_000,
    data: EVENTS[name].example,
    ...(isOf(RUN_EVENTS) || isOf(SITE_EVENTS) ? { project: PROJECT } : {}),
    ...(isOf(RUN_EVENTS) ? { run: { id: 'run_01kf2q7m5de4g8rj0w3x9y1zab' } } : {}),
    ...(isOf(CRAWL_EVENT_KINDS) ? { job: { id: 'run_01kf2q7m5de4g8rj0w3x9y1zab', kind: 'crawl' } } : {}),
    ...(isOf(BATCH_EVENT_KINDS) ? { job: { id: 'job_01kf2q7m5de4g8rj0w3x9y1zab', kind: 'batch' } } : {}),
  };
}
