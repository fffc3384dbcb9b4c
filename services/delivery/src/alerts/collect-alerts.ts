import type { AlertMatch } from '@tidemark/contracts/diff/v1/diff';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { type AlertChannel, type AlertRule, fromConfigMessage } from '@tidemark/project-config';
import type { ChannelMatch } from '../domain/channel-match.ts';
import { sendTime } from './send-time.ts';

/** Returns the rules of a project. */
export const rulesOf = ({ alerts }: Channels): readonly AlertRule[] =>
  fromConfigMessage({ alerts: { values: alerts } }).alerts ?? [];

/** Returns the channels of a project. Mails without a mail host are notices, which need no address. */
function channelsIn({ webhookUrl, chatUrl }: Channels): readonly AlertChannel[] {
  return [
    ...(webhookUrl === undefined ? [] : ['webhook' as const]),
    ...(chatUrl === undefined ? [] : ['chat' as const]),
    'mail',
  ];
}

/** Returns through which channels each match is sent, and when. A match of a rule that was deleted since is not sent. */
export function channelMatches(channels: Channels, matches: readonly AlertMatch[], now: Date): ChannelMatch[] {
  const rules = new Map(rulesOf(channels).map((rule) => [rule.id, rule]));
  const present = channelsIn(channels);
  return matches.flatMap((match) => {
    const rule = rules.get(match.alert?.id ?? '');
    if (rule === undefined) return [];
    const dueAt = sendTime(rule, channels.timezone, now);
    const used = present.filter((channel) => rule.channels?.includes(channel) ?? true);
    return used.map((channel) => ({ channel, dueAt, match }));
  });
}
