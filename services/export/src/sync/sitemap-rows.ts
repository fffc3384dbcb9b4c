import { CrawlServiceService as CrawlRpc } from '@tidemark/contracts/crawl/v1/crawl';
import { MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import type { RunRecord, Sync } from '../domain/sync.ts';
import type { SourceContext } from '../download/peers.ts';
import { openSitemap } from '../download/sitemap-batches.ts';
import type { KeyedBatch } from './keyed-row.ts';

type Subject = Pick<Sync, 'sourceId' | 'projectId' | 'runAt' | 'createdAt'>;

/** Returns whether the stored sitemap tree of a project is complete, so that a URL it does not have is gone. */
export async function readSitemapState(subject: Subject, context: SourceContext): Promise<RunRecord> {
  const { snapshot } = await discover(subject, context);
  if (snapshot === undefined) return { isWholeSite: false, warning: 'the site has no stored sitemap tree' };
  return { isWholeSite: snapshot.complete, warning: undefined };
}

/** Reads the URLs of the sitemap tree that was the newest when the sync was queued; none where the site has no tree. */
export async function* sitemapBatches(
  subject: Subject,
  after: number,
  context: SourceContext,
): AsyncGenerator<KeyedBatch> {
  const { url, snapshot } = await discover(subject, context);
  if (snapshot === undefined) return;
  const crawledAt = snapshot.takenAt ?? subject.runAt;
  let last = after;
  const { batches } = await openSitemap({ projectId: subject.projectId, url, after, snapshotId: snapshot.id }, context);
  for await (const batch of batches) {
    last += batch.length;
    yield { rows: batch.map((row) => ({ row, key: [row['url']], crawledAt, change: undefined })), last };
  }
}

/** Every attempt at a sync reads the same tree: the newest at the time at which the sync was queued. */
async function discover({ sourceId, projectId, createdAt }: Subject, { peers, call, signal }: SourceContext) {
  const request = { id: sourceId, withLog: false, withConfig: false };
  const { run } = await peers.crawl.call(CrawlRpc.getRun, request, call, { signal });
  if (run === undefined || run.projectId !== projectId) throw new AppError('not_found', 'run not found');
  const site = { url: run.seed, projectId };
  const newest = await peers.map.call(MapRpc.discovery, site, call, { signal });
  const chosen = newest.kept.find(({ takenAt }) => takenAt !== undefined && takenAt <= createdAt);
  if (chosen === undefined || chosen.id === newest.snapshot?.id) return { url: run.seed, snapshot: newest.snapshot };
  const { snapshot } = await peers.map.call(MapRpc.discovery, { ...site, snapshotId: chosen.id }, call, { signal });
  return { url: run.seed, snapshot };
}
