import { z } from 'zod';
import { CHAT_SERVICES } from './chat-service.ts';
import { Time } from './parts.ts';

export const CHANNEL_KINDS = ['webhook', 'chat'] as const;
export const CHANNEL_STATES = ['ok', 'failing', 'paused', 'never'] as const;
export const DELIVERY_KINDS = ['webhook', 'chat', 'mail'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'retrying', 'paused', 'failed'] as const;
export const ATTEMPT_REASONS = ['schedule', 'redeliver', 'test'] as const;

const HttpStatus = z.int().nullable().describe('null: no answer came');

/** How the deliveries to one receiver go. */
export const ChannelHealth = z
  .object({
    state: z
      .enum(CHANNEL_STATES)
      .describe(
        'failing: the last attempt failed; paused: a delivery has run out of tries since the last success; never: nothing was sent yet',
      ),
    lastDeliveredAt: Time.nullable(),
    lastFailedAt: Time.nullable(),
    lastStatus: HttpStatus.describe('Of the last failed attempt; null: no answer came, or none has failed'),
    lastError: z.string().nullable(),
    waiting: z.int().describe('Deliveries that are still to be made'),
    paused: z.int().describe('Deliveries that have run out of tries and wait to be redelivered'),
  })
  .meta({ id: 'ChannelHealth' });

/** Where a project's events go. */
export const Channel = z
  .object({
    projectId: z.string(),
    projectName: z.string().nullable(),
    seed: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    service: z.enum(CHAT_SERVICES).nullable().describe('Of a chat channel'),
    url: z.string().describe('Masked where it is a secret'),
    events: z.array(z.string()).describe('What is sent there; empty: everything'),
    health: ChannelHealth,
  })
  .meta({ id: 'Channel' });
export type Channel = z.output<typeof Channel>;

/** A message on its way to one receiver, and every attempt at it. */
export const Delivery = z
  .object({
    id: z.string().describe('The same on every attempt: X-Service-Delivery, webhook-id and the message’s own id'),
    projectId: z.string().nullable(),
    runId: z.string().nullable().describe('The run, crawl or batch it tells of'),
    event: z.string(),
    kind: z.enum(DELIVERY_KINDS),
    receiver: z.string().describe('Where it goes, without anything secret: a host, or a masked mail address'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        'retrying: another attempt comes at nextAt; paused: six retries went unanswered; failed: the receiver refused it',
      ),
    attempts: z.int(),
    lastStatus: HttpStatus,
    lastError: z.string().nullable(),
    nextAt: Time.nullable().describe('When the next attempt is made; null: none comes by itself'),
    createdAt: Time,
    deliveredAt: Time.nullable(),
    test: z.boolean(),
    log: z
      .array(
        z.object({
          number: z.int(),
          at: Time,
          status: HttpStatus,
          error: z.string().nullable().describe('null: it was taken'),
          durationMs: z.int(),
          answer: z.string().describe('How the answer began, as plain text'),
          by: z.enum(ATTEMPT_REASONS).describe('What the attempt was made for'),
        }),
      )
      .describe('Every attempt, oldest first'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof Delivery>;

const around = { creditsUsed: z.int(), request_id: z.string() };

export const AnsweredDelivery = Delivery.extend(around).meta({ id: 'AnsweredDelivery' });

/** A project's webhook, as far as the key may see it. */
export const Webhook = z
  .object({
    url: z.string().nullable().describe('`config.webhook_url`; null: the project has none'),
    events: z.array(z.string()).describe('`config.webhook_events`; empty: everything'),
    secret: z.string().nullable().describe('What messages are signed with, for keys with the scope `admin` alone'),
    secretHidden: z.boolean().describe('Whether there is, or would be, a secret that this key may not see'),
    previousSecretUntil: Time.nullable().describe('Until when messages are signed with the secret before, too'),
    health: ChannelHealth,
    deliveries: z.array(Delivery).describe('The newest ones'),
    ...around,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

export const RotatedSecret = z
  .object({
    secret: z.string(),
    previousSecretUntil: Time.describe('Until when messages are signed with the secret before, too'),
    ...around,
  })
  .meta({ id: 'RotatedSecret' });
