import type { CrawlEnvelope, CrawlSummary, PageRow } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import type { CrawledPage } from '../queries/run-reader.ts';
import { NO_NEXT_PAGE } from '../requests/list-cursors.ts';
import { type EnvelopeContext, missingField, timeOf } from './job-envelope.ts';
import { type PageLinks, toPageRow } from './page-row.ts';
import { toRunCoverage } from './site-estimate.ts';

/** Converts the fields that all responses about a run have. */
export function runFields(run: Run) {
  return {
    id: run.id,
    status: run.status,
    progress: { done: run.done, total: run.total, queued: run.queued },
    creditsUsed: run.creditsUsed,
    counts: run.counts,
    ...missingField(run.missingValues),
    stop: run.stop ?? null,
    error: run.error ?? null,
    createdAt: timeOf(run.createdAt),
    startedAt: run.startedAt === undefined ? null : timeOf(run.startedAt),
    finishedAt: run.finishedAt === undefined ? null : timeOf(run.finishedAt),
    paused: run.paused,
    held: run.held.map(({ host, until, why }) => ({ host, until: timeOf(until), why })),
    traps: run.traps.map(({ pattern, urls, why }) => ({ pattern, urls, why })),
  };
}

/** Converts a run and its pages to the envelope of a crawl. */
export function toCrawlEnvelope(
  run: Run,
  rows: readonly PageRow[],
  { requestId, nextPage = NO_NEXT_PAGE }: EnvelopeContext,
): CrawlEnvelope {
  return {
    ...runFields(run),
    kind: 'crawl',
    coverage: toRunCoverage(run.coverage),
    data: [...rows],
    ...nextPage,
    request_id: requestId,
  };
}

/** Converts a run to an item of the list of crawls. */
export const toCrawlSummary = (run: Run): CrawlSummary => ({
  ...runFields(run),
  kind: 'crawl',
  url: run.seed,
  projectId: run.projectId ?? null,
});

/** Fields that the crawl adds to a page row. */
const linkFields = ({ foundVia, firstReferer, inSitemap, depth, inLinks, orphan, unlisted }: RunPage) => ({
  foundVia,
  firstReferer: firstReferer || null,
  inSitemap,
  depth,
  inLinks: inLinks ?? null,
  orphan: orphan ?? null,
  unlisted: unlisted ?? null,
});

/** Converts a page of a crawl to its REST row. */
export function toCrawlRow({ page, known }: CrawledPage, formats: readonly string[], links: PageLinks): PageRow {
  const row = toPageRow(page, formats, links);
  return { ...row, ...linkFields(known), origin: new URL(row.url).host };
}
