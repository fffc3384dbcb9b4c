import { type MapRow, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import type { DatasetRow as Row } from '@tidemark/datasets';
import type { OpenDataset, SourceContext } from './peers.ts';

const BATCH = 1_000;

interface SiteToExport {
  readonly projectId: string;
  readonly url: string;
  readonly after: number;
  /** Undefined: the newest. */
  readonly snapshotId: string | undefined;
}

/** Opens the URLs of a stored sitemap tree of a site. */
export async function openSitemap(
  { projectId, url, after, snapshotId: chosen }: SiteToExport,
  { peers, call, signal }: SourceContext,
): Promise<OpenDataset<Row>> {
  const filters = { file: '', prefix: '', q: '' };
  const read = (from: number, snapshotId: string | undefined) =>
    peers.map.call(Rpc.listEntries, { url, projectId, snapshotId, ...filters, after: from, limit: BATCH }, call, {
      signal,
    });
  const first = await read(after, chosen);
  async function* batches(): AsyncGenerator<readonly Row[]> {
    for (let response = first; ; ) {
      const { entries, next, snapshotId } = response;
      yield entries.map((entry) => toSitemapRow(entry, snapshotId));
      if (next === undefined || entries.length === 0) return;
      response = await read(next, snapshotId);
    }
  }
  return { batches: batches(), rows: after === 0 ? first.total : undefined, isComplete: true };
}

const toSitemapRow = ({ url, lastmod, changefreq, source, file, section }: MapRow, snapshotId: string): Row => ({
  snapshotId,
  url,
  lastmod: lastmod || null,
  changefreq: changefreq || null,
  source,
  file,
  section: section || null,
});
