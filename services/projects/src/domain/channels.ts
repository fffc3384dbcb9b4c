import type { ConfigValues, Masking } from './config-values.ts';

/** The notification channels of a project. */
export interface Channels {
  readonly projectId: string;
  readonly projectName: string;
  readonly seed: string;
  readonly webhookUrl: string | undefined;
  /** Empty: all events. */
  readonly webhookEvents: readonly string[];
  /** A JSON object of the user. */
  readonly webhookMetadataJson: string | undefined;
  readonly notifyMinWords: number;
  readonly notifyEmails: readonly string[];
  readonly chatUrl: string | undefined;
  /** Undefined: no digest. */
  readonly digestConnectionId: string | undefined;
  readonly digestFocus: string | undefined;
  /** As in the config. */
  readonly alerts: readonly unknown[];
  /** IANA. */
  readonly timezone: string;
}

/** The config keys of the notification channels. */
export const CHANNEL_KEYS = [
  'webhook_url',
  'webhook_events',
  'webhook_metadata',
  'notify_min_words',
  'notify_emails',
  'chat_url',
  'change_digest',
  'alerts',
] as const;

export interface ChannelProject {
  readonly id: string;
  readonly name: string;
  readonly seed: string;
  readonly timezone: string;
  readonly config: ConfigValues;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []) : []);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reads the notification channels of a project from its config. Values of the wrong type count as absent. */
export function channelsOf({ id, name, seed, timezone, config }: ChannelProject): Channels {
  const digest = isObject(config['change_digest']) ? config['change_digest'] : {};
  const metadata = config['webhook_metadata'];
  return {
    projectId: id,
    projectName: name,
    seed,
    webhookUrl: textOf(config['webhook_url']),
    webhookEvents: textsOf(config['webhook_events']),
    webhookMetadataJson: isObject(metadata) && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : undefined,
    notifyMinWords: numberOf(config['notify_min_words']),
    notifyEmails: textsOf(config['notify_emails']),
    chatUrl: textOf(config['chat_url']),
    digestConnectionId: textOf(digest['connection_id']),
    digestFocus: textOf(digest['focus']),
    alerts: Array.isArray(config['alerts']) ? config['alerts'] : [],
    timezone,
  };
}

/** Masks the secrets in the URLs of channels. */
export const maskChannels = (channels: Channels, { mask }: Masking): Channels => ({
  ...channels,
  webhookUrl: textOf(mask('webhook_url', channels.webhookUrl)),
  chatUrl: textOf(mask('chat_url', channels.chatUrl)),
});
