import type { AlertMatch } from '@tidemark/contracts/diff/v1/diff';
import type { AlertChannel } from '@tidemark/project-config';
import type { EventData } from '@tidemark/webhook-events';
import type { NewMessage } from '../domain/new-message.ts';
import type { AlertNotification } from '../notifications/notification.ts';
import type { MemberMessages } from '../notifications/ports.ts';
import { composeMessage, isSubscribed, projectOf, projectWebhook } from '../webhook-messages/compose-message.ts';

/** Matches listed in one message; the others are counted. */
const MAX_LISTED = 20;

/** Composes the messages of matches to one channel of their project; none where the project does not have it. */
export function alertMessages(
  channel: AlertChannel,
  notification: AlertNotification,
  members: Pick<MemberMessages, 'chatMessages' | 'mailMessages'>,
): readonly NewMessage[] {
  if (channel === 'chat') return members.chatMessages(notification);
  if (channel === 'mail') return members.mailMessages(notification);
  return webhookMessages(notification);
}

/** Composes one alert.matched for each rule. */
function webhookMessages({ workspaceId, channels, key, runId, at, matches }: AlertNotification): NewMessage[] {
  const receiver = projectWebhook(workspaceId, channels);
  if (receiver === undefined || !isSubscribed(channels.webhookEvents, 'alert.matched')) return [];
  const byRule = Map.groupBy(matches, ({ alert }) => alert?.id ?? '');
  return [...byRule].map(([id, found]) =>
    composeMessage({
      event: 'alert.matched',
      key: `${key}:${id}`,
      receiver,
      runId,
      at,
      about: { project: projectOf(channels), ...(runId === '' ? {} : { run: { id: runId } }) },
      metadataJson: channels.webhookMetadataJson,
      data: {
        alert: { id, name: found[0]?.alert?.name ?? id },
        matches: found.slice(0, MAX_LISTED).flatMap(toMatch),
        more: Math.max(found.length - MAX_LISTED, 0),
      },
    }),
  );
}

function toMatch({ entry }: AlertMatch): EventData<'alert.matched'>['matches'] {
  if (entry === undefined) return [];
  const { id: changeId, runId, url, title = null, kind, wordsAdded, wordsRemoved, section, fields } = entry;
  return [
    { changeId, runId, url, title, kind, wordsAdded, wordsRemoved, section, fields: fields.map(({ name }) => name) },
  ];
}
