import type { ConfigValues, Masking } from './config-values.ts';

/** Who is told of what a project's runs bring. */
export interface Channels {
  readonly projectId: string;
  readonly projectName: string;
  readonly seed: string;
  /** Empty: there is none. */
  readonly webhookUrl: string;
  /** None: all of them. */
  readonly webhookEvents: readonly string[];
  /** Empty: nothing is echoed. */
  readonly webhookMetadataJson: string;
  readonly notifyMinWords: number;
  readonly notifyEmails: readonly string[];
  /** Empty: there is none. */
  readonly chatUrl: string;
  /** Empty: no digest is wanted. */
  readonly digestConnectionId: string;
  readonly digestFocus: string;
}

/** The settings that say who is told. */
export const CHANNEL_KEYS = [
  'webhook_url',
  'webhook_events',
  'webhook_metadata',
  'notify_min_words',
  'notify_emails',
  'chat_url',
  'change_digest',
] as const;

export interface ChannelsOwner {
  readonly id: string;
  readonly name: string;
  readonly seed: string;
  readonly config: ConfigValues;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf).filter((one) => one !== '') : [];
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Who is told of what a project's runs bring, as its config says. */
export function channelsOf({ id, name, seed, config }: ChannelsOwner): Channels {
  const digest = isObject(config['change_digest']) ? config['change_digest'] : {};
  const metadata = config['webhook_metadata'];
  return {
    projectId: id,
    projectName: name,
    seed,
    webhookUrl: textOf(config['webhook_url']),
    webhookEvents: textsOf(config['webhook_events']),
    webhookMetadataJson: isObject(metadata) && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : '',
    notifyMinWords: numberOf(config['notify_min_words']),
    notifyEmails: textsOf(config['notify_emails']),
    chatUrl: textOf(config['chat_url']),
    digestConnectionId: textOf(digest['connection_id']),
    digestFocus: textOf(digest['focus']),
  };
}

/** The same as it may be shown: an address that is a secret is masked. */
export const maskChannels = (channels: Channels, { mask }: Masking): Channels => ({
  ...channels,
  chatUrl: channels.chatUrl === '' ? '' : mask(channels.chatUrl),
});
