import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { NewMessage } from '../domain/new-message.ts';
import { composeMessage, isSubscribed, oneOf, projectOf, projectWebhook } from './compose-message.ts';

/** Maximum receivers of one alert. */
const MAX_RECEIVERS = 100;

/** Composes credits.low for the webhooks that are subscribed to it: one message for each different URL. */
export function creditMessages(channels: readonly Channels[], alert: CreditsLow, at: Date): NewMessage[] {
  const { id, workspaceId, of, percent, remaining, resetsAt } = alert;
  const data = {
    of: oneOf(['allowance', 'welcome', 'overage'] as const, of, 'credit bucket'),

    percent,
    remaining: remaining ?? null,
    resetsAt: resetsAt?.toISOString() ?? null,
  };
  const subscribed = channels.filter(({ webhookEvents }) => isSubscribed(webhookEvents, 'credits.low'));
  const byUrl = new Map(subscribed.toReversed().map((each) => [each.webhookUrl, each]));
  return [...byUrl.values()].slice(0, MAX_RECEIVERS).flatMap((each) => {
    const receiver = projectWebhook(workspaceId, each);
    if (receiver === undefined) return [];
    const around = { key: `${each.projectId}:${id}`, receiver, runId: '', at, about: { project: projectOf(each) } };
    return [composeMessage({ ...around, event: 'credits.low', metadataJson: each.webhookMetadataJson, data })];
  });
}
