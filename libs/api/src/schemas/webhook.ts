import { CHAT_SERVICES } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';

export const CHANNEL_KINDS = ['webhook', 'chat'] as const;
export const CHANNEL_STATES = ['ok', 'failing', 'paused', 'never'] as const;
export const DELIVERY_KINDS = ['webhook', 'chat', 'mail'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'retrying', 'paused', 'failed'] as const;
export const ATTEMPT_REASONS = ['schedule', 'redeliver', 'test'] as const;

const HttpStatus = z.int().nullable().describe('null if no response arrived');

/** Health of one receiver. */
export const ChannelHealth = z
  .object({
    state: z
      .enum(CHANNEL_STATES)
      .describe(
        'failing: the last attempt failed; paused: a delivery ran out of retries since the last success; never: nothing was sent yet',
      ),
    lastDeliveredAt: Time.nullable(),
    lastFailedAt: Time.nullable(),
    lastStatus: HttpStatus.describe('Status of the last failed attempt; null if no response arrived or none failed'),
    lastError: z.string().nullable(),
    waiting: z.int().describe('Number of pending deliveries'),
    paused: z.int().describe('Number of deliveries that ran out of retries and can be redelivered'),
  })
  .meta({ id: 'ChannelHealth' });

/** A channel that receives events of a project. */
export const Channel = z
  .object({
    projectId: z.string(),
    projectName: z.string().nullable(),
    seed: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    service: z.enum(CHAT_SERVICES).nullable().describe('The service of a chat channel'),
    url: z.string().describe('Masked if it is a secret'),
    events: z.array(z.string()).describe('Events sent to the channel; all if empty'),
    health: ChannelHealth,
  })
  .meta({ id: 'Channel' });
export type Channel = z.output<typeof Channel>;

/** A message to one receiver with all attempts. */
export const Delivery = z
  .object({
    id: z.string().describe('The same for every attempt: X-Service-Delivery, webhook-id and the id of the message'),
    projectId: z.string().nullable(),
    runId: z.string().nullable().describe('The run, crawl or batch that the message is about'),
    event: z.string(),
    kind: z.enum(DELIVERY_KINDS),
    receiver: z.string().describe('The receiver without secrets: a host or a masked mail address'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        'retrying: the next attempt is at nextAt; paused: six retries failed; failed: the receiver refused the message',
      ),
    attempts: z.int(),
    lastStatus: HttpStatus,
    lastError: z.string().nullable(),
    nextAt: Time.nullable().describe('Time of the next attempt; null if none is scheduled'),
    createdAt: Time,
    deliveredAt: Time.nullable(),
    test: z.boolean(),
    log: z
      .array(
        z.object({
          number: z.int(),
          at: Time,
          url: z
            .string()
            .nullable()
            .describe('Address it was sent to, masked; null for a mail, or if nothing was sent'),
          status: HttpStatus,
          error: z.string().nullable().describe('null if the message was accepted'),
          durationMs: z.int(),
          answer: z.string().describe('Start of the response body as plain text'),
          by: z.enum(ATTEMPT_REASONS).describe('What triggered the attempt'),
        }),
      )
      .describe('All attempts, oldest first'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof Delivery>;

const around = { creditsUsed: z.int(), request_id: z.string() };

export const DeliveryResponse = Delivery.extend(around).meta({ id: 'DeliveryResponse' });

/** The webhook of a project, as far as visible to the key. */
export const Webhook = z
  .object({
    url: z.string().nullable().describe('`config.webhook_url`; null if not set'),
    events: z.array(z.string()).describe('`config.webhook_events`; all if empty'),
    secret: z.string().nullable().describe('Signing secret; returned only to keys with the scope `admin`'),
    secretHidden: z.boolean().describe('Whether the secret is hidden from this key'),
    previousSecretUntil: Time.nullable().describe('Until when messages are also signed with the previous secret'),
    health: ChannelHealth,
    deliveries: z.array(Delivery).describe('The newest deliveries'),
    ...around,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

export const RotatedSecret = z
  .object({
    secret: z.string(),
    previousSecretUntil: Time.describe('Until when messages are also signed with the previous secret'),
    ...around,
  })
  .meta({ id: 'RotatedSecret' });
