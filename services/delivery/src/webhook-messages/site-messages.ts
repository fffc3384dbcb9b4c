import type { DiscoveryResponse, MapJob } from '@tidemark/contracts/map/v1/map';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { NewMessage } from '../domain/new-message.ts';
import type { ApiLinks } from './api-links.ts';
import { composeMessage, isoOf, isSubscribed, oneOf, projectOf, projectWebhook } from './compose-message.ts';

/** Addresses per message, and their characters in all; the message also holds their number. */
const MAX_URLS = 1_000;
const MAX_CHARACTERS = 200_000;

/** Composes site.failing or site.recovered for the project's webhook; none where it is not subscribed. */
export function healthMessages(channels: Channels, change: SiteHealthChanged, at: Date): NewMessage[] {
  const { workspaceId, projectId, runId, why } = change;
  const health = oneOf(['failing', 'recovered'] as const, change.health, 'health');
  const event = `site.${health}` as const;
  const receiver = projectWebhook(workspaceId, channels);
  if (receiver === undefined || !isSubscribed(channels.webhookEvents, event)) return [];
  const message = composeMessage({
    event,
    key: `${projectId}:${event}:${runId}`,
    receiver,
    runId,
    at,
    about: { project: projectOf(channels), ...(runId === '' ? {} : { run: { id: runId } }) },
    metadataJson: channels.webhookMetadataJson,
    data: { health, why, since: isoOf(change.at) },
  });
  return [message];
}

/** An ended map of a project, and the difference between its tree and the previous one. */
export interface MapNotification {
  readonly workspaceId: string;
  readonly channels: Channels;
  readonly job: MapJob;
  /** Absent: the map made no snapshot. */
  readonly discovery: DiscoveryResponse | undefined;
  readonly at: Date;
  readonly links: ApiLinks;
}

/** Composes map.completed and the changes of the sitemaps for the project's webhook. */
export function mapMessages({ workspaceId, channels, job, discovery, at, links }: MapNotification): NewMessage[] {
  const receiver = projectWebhook(workspaceId, channels);
  if (receiver === undefined) return [];
  const around = {
    receiver,
    runId: '',
    at,
    metadataJson: channels.webhookMetadataJson,
    about: { project: projectOf(channels) },
  };
  const ended = composeMessage({
    ...around,
    event: 'map.completed',
    key: `${job.id}:map.completed`,
    data: { ...mapData(job), results: links.job('map', job.id), next: null },
  });
  return [ended, ...sitemapMessages(around, job.id, discovery)].filter(
    ({ event }) => channels.webhookEvents.length === 0 || channels.webhookEvents.includes(event),
  );
}

type Around = Omit<Parameters<typeof composeMessage>[0], 'event' | 'key' | 'data'>;

function sitemapMessages(around: Around, snapshotId: string, discovery: DiscoveryResponse | undefined): NewMessage[] {
  const diff = discovery?.diff;
  if (diff === undefined || discovery?.snapshot?.id !== snapshotId) return [];
  const urls = (event: 'sitemap.added' | 'sitemap.removed' | 'sitemap.updated', count: number, some: string[]) =>
    count === 0
      ? []
      : [
          composeMessage({
            ...around,
            event,
            key: `${snapshotId}:${event}`,
            data: { urls: firstOf(some), count, snapshotId },
          }),
        ];
  const files = (event: 'sitemap.file_added' | 'sitemap.file_removed', some: string[]) =>
    some.length === 0
      ? []
      : [
          composeMessage({
            ...around,
            event,
            key: `${snapshotId}:${event}`,
            data: { files: firstOf(some), snapshotId },
          }),
        ];
  return [
    ...urls('sitemap.added', diff.added, diff.urlsAdded),
    // Absence from an incomplete tree is no removal.
    ...(diff.isVerdict ? urls('sitemap.removed', diff.removed, diff.urlsRemoved) : []),
    ...urls('sitemap.updated', diff.updated, diff.urlsUpdated),
    ...files('sitemap.file_added', diff.filesAdded),
    ...(diff.isVerdict ? files('sitemap.file_removed', diff.filesRemoved) : []),
  ];
}

/** Returns the first addresses, up to the limits of a message. */
function firstOf(urls: readonly string[]): string[] {
  let characters = 0;
  return urls.slice(0, MAX_URLS).filter(({ length }) => {
    characters += length;
    return characters <= MAX_CHARACTERS;
  });
}

function mapData({ id, status, done, total, creditsUsed, ...job }: MapJob) {
  return {
    id,
    kind: 'map',
    status,
    progress: { done, total, queued: Math.max(0, total - done) },

    creditsUsed,
    counts: {},
    stop: job.stop ?? null,
    error: job.error ?? null,
    createdAt: isoOf(job.createdAt),
    finishedAt: job.finishedAt === undefined ? null : isoOf(job.finishedAt),
    totals: job.totals ?? { files: 0, urls: 0, indexes: 0, blocked: 0 },
    robots:
      job.robots === undefined
        ? null
        : { ...job.robots, status: job.robots.status || null, crawlDelay: job.robots.crawlDelay ?? null },
    method: job.method ?? null,
  };
}
