import { z } from 'zod';

/** Rules in one configuration. */
export const MAX_ALERT_RULES = 50;
/** Longest expression, characters. */
export const MAX_ALERT_CHARS = 2_000;

/** What carries the message of an alert: the project's webhook, its chat channel, or a mail to each of notify_emails. */
export const ALERT_CHANNELS = ['webhook', 'chat', 'mail'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** When an alert is sent: at once, or collected into one message a day or a week. */
export const ALERT_DELIVERIES = ['now', 'daily', 'weekly'] as const;

const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as 08:00')
  .meta({ example: '08:00' });

/** A condition on changes. */
export const AlertRule = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'expected 1 to 40 characters of a-z, 0-9, _ and -')
      .describe('Stays the same when the rule is edited'),
    name: z.string().trim().min(1).max(200).describe('Stated in messages'),
    when: z
      .string()
      .min(1)
      .max(MAX_ALERT_CHARS)
      .describe(
        'A CEL expression over a change: `kind`, `section`, `words_added`, `words_removed`, `entry`, `page`, `fields`, `extracted`, `head`, `product`',
      ),
    channels: z
      .array(z.enum(ALERT_CHANNELS))
      .min(1)
      .refine((listed) => new Set(listed).size === listed.length, 'expected each channel once')
      .optional()
      .describe('Absent: every channel of the project'),
    initial: z.boolean().default(false).describe('Whether a page that meets the condition when it is found matches'),
    cooldown_minutes: z
      .int()
      .min(0)
      .max(43_200)
      .default(1_440)
      .describe('Minutes in which a page does not match the rule a second time'),
    deliver: z
      .enum(ALERT_DELIVERIES)
      .default('now')
      .describe('Whether matches are sent at once, or collected for a day or a week'),
    at: TimeOfDay.default('08:00').describe(
      'When collected matches are sent, in the time zone of the project; weekly: on Monday',
    ),
    quiet: z
      .strictObject({ from: TimeOfDay, to: TimeOfDay })
      .refine(({ from, to }) => from !== to, 'expected two different times')
      .optional()
      .describe('Hours without messages, in the time zone of the project; they are sent as one message at the end'),
  })
  .meta({ id: 'AlertRule' });
export type AlertRule = z.output<typeof AlertRule>;

export const AlertRules = z
  .array(AlertRule)
  .max(MAX_ALERT_RULES)
  .refine((listed) => new Set(listed.map(({ id }) => id)).size === listed.length, 'expected each id once');
