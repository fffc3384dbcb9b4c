import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { EventData, EventName } from '@tidemark/webhook-events';
import { z } from 'zod';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';

/** Project, run or job of a message. */
export interface MessageContext {
  readonly project?: { readonly id: string; readonly host: string };
  readonly run?: { readonly id: string };
  readonly job?: { readonly id: string; readonly kind: string };
}

/** A message to a webhook, before it has an id. */
export interface WebhookEvent<E extends EventName> {
  readonly event: E;
  /** Idempotency key, without the receiver. */
  readonly key: string;
  readonly receiver: MessageReceiver;
  /** The run, crawl or batch; empty: none. */
  readonly runId: string;
  readonly at: Date;
  readonly about: MessageContext;
  readonly data: EventData<E>;
  /** A JSON object of the user, which the message repeats. */
  readonly metadataJson: string | undefined;
  readonly isTest?: boolean;
}

/** Builds the message to be queued. Its body is built once, with the delivery's id. */
export function composeMessage<E extends EventName>(webhookEvent: WebhookEvent<E>): NewMessage {
  const { event, receiver, runId, at, about, data, isTest = false } = webhookEvent;
  const metadata = metadataOf(webhookEvent.metadataJson);
  const body = (id: string): string =>
    JSON.stringify({
      id,
      event,
      createdAt: at.toISOString(),
      ts: Math.floor(at.getTime() / 1_000),
      ...about,
      data,
      ...(metadata === undefined ? {} : { metadata }),
      ...(isTest ? { test: true } : {}),
    });
  return { key: `${webhookEvent.key}:webhook`, receiver, runId, event, recipient: '', createdAt: at, isTest, body };
}

const Metadata = z.record(z.string(), z.unknown());

const metadataOf = (json: string | undefined): Readonly<Record<string, unknown>> | undefined =>
  json === undefined ? undefined : Metadata.parse(JSON.parse(json));

/** Whether a receiver is subscribed to an event; an empty list means all. */
export const isSubscribed = (events: readonly string[], event: EventName): boolean =>
  events.length === 0 || events.includes(event);

/** Returns a value that a message must have. @throws AppError internal if it is absent */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AppError('internal', `a message has no ${what}`);
  return value;
}

/** Narrows a word of another service to one of these. @throws AppError internal where it is none of them */
export function oneOf<T extends string>(words: readonly T[], value: string, what: string): T {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new AppError('internal', `there is no ${what} "${value}"`);
  return found;
}

/** Returns the webhook of a project; undefined where it has none. */
export function projectWebhook(workspaceId: string, channels: Channels): MessageReceiver | undefined {
  const { projectId, webhookUrl: url } = channels;
  if (url === '') return undefined;
  return { id: `${projectId}:webhook`, workspaceId, projectId, kind: 'webhook', service: '', url };
}

/** Returns the project as its messages name it. */
export function projectOf({ projectId, seed }: Channels): { id: string; host: string } {
  return { id: projectId, host: URL.canParse(seed) ? new URL(seed).host : '' };
}

export const isoOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();
