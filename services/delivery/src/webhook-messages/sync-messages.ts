import type { Sync } from '@tidemark/contracts/export/v1/destinations';
import type { SyncEnded } from '@tidemark/contracts/export/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { DESTINATION_DATASETS, DESTINATION_MODES } from '@tidemark/datasets';
import { SYNC_ERRORS, SYNC_STATUSES } from '@tidemark/results';
import type { NewMessage } from '../domain/new-message.ts';
import { composeMessage, isSubscribed, oneOf, projectOf, projectWebhook } from './compose-message.ts';

const MAX_WARNINGS = 20;

/** Returns the name of the event of an ended sync. */
export const syncEventName = ({ error }: Sync): 'sync.finished' | 'sync.failed' =>
  error === undefined ? 'sync.finished' : 'sync.failed';

/** Composes sync.finished or sync.failed for the project's webhook; none where it is not subscribed. */
export function syncMessages(channels: Channels, ended: SyncEnded, sync: Sync, at: Date): NewMessage[] {
  const event = syncEventName(sync);
  const receiver = projectWebhook(ended.workspaceId, channels);
  if (receiver === undefined || !isSubscribed(channels.webhookEvents, event)) return [];
  const { error } = sync;
  const message = composeMessage({
    event,
    key: `${sync.id}:${event}`,
    receiver,
    runId: sync.sourceId,
    at,
    about: { project: projectOf(channels), run: { id: sync.sourceId } },
    metadataJson: channels.webhookMetadataJson,
    data: {
      id: sync.id,
      status: oneOf(SYNC_STATUSES, sync.status, 'sync status'),
      destination: { id: sync.destinationId, name: ended.destinationName },
      dataset: oneOf(DESTINATION_DATASETS, sync.dataset, 'dataset'),
      mode: oneOf(DESTINATION_MODES, sync.mode, 'mode'),

      written: sync.written,
      unchanged: sync.unchanged,
      deleted: sync.deleted,
      skipped: sync.skipped,

      location: sync.location ?? null,
      warnings: sync.warnings.slice(0, MAX_WARNINGS),
      attempts: sync.attempts,
      error: error === undefined ? null : { ...error, code: oneOf(SYNC_ERRORS, error.code, 'sync error') },
      paused: ended.pausedReason ?? null,
    },
  });
  return [message];
}
