import type { JobEnvelope, PageRow } from '@tidemark/api';
import { hasResponse, toDocument } from './document.ts';
import { Refusal } from './refusal.ts';
import type { Version } from './scrape-options.ts';
import type { Settings } from './translate.ts';

/** Pages of one respond, each with its bodies. */
export const STATUS_PAGE = 100;
/** Pages of a job without a project are stored for this time, ms. */
const STORED_MS = 86_400_000;

const STATUSES = {
  queued: 'scraping',
  running: 'scraping',
  done: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<JobEnvelope['status'], string>;

export const isOver = ({ status }: Pick<JobEnvelope, 'status'>): boolean => STATUSES[status] !== 'scraping';

/** Where the following pages of a job are. */
interface Following {
  /** URL of the job under the path of Firecrawl. */
  readonly url: string;
  readonly version: Version;
}

/**
 * Returns the URL of the following pages. The clients follow it at once until there is none, so a running job has one only behind a full page.
 */
function nextOf(job: JobEnvelope, url: string): string | null {
  const { cursor } = job;
  if (cursor === null || (!isOver(job) && job.data.length < STATUS_PAGE)) return null;
  return `${url}?cursor=${encodeURIComponent(cursor)}`;
}

/** Converts a crawl or a batch to the status of Firecrawl. */
export function toStatusResponse(job: JobEnvelope, { url, version }: Following): Settings {
  const next = nextOf(job, url);
  return {
    success: true,
    status: STATUSES[job.status],
    completed: job.progress.done,
    total: job.progress.total,
    creditsUsed: job.creditsUsed,
    expiresAt: new Date(Date.parse(job.createdAt) + STORED_MS).toISOString(),
    ...(job.error === null ? {} : { error: job.error }),
    // The client of v1 follows the field while it is present.
    ...(next === null && version === 'v1' ? {} : { next }),
    data: job.data.filter(hasResponse).map(toDocument),
  };
}

/** Confirms a cancellation. @throws Refusal if the job had ended before */
export function toCancelResponse(job: JobEnvelope): Settings {
  if (job.status !== 'cancelled')
    throw new Refusal(409, 'CONFLICT', { message: `the job has ended before: its status is ${STATUSES[job.status]}` });
  return { success: true, status: 'cancelled' };
}

const isRefused = ({ verdict }: PageRow): boolean => verdict === 'blocked' || verdict === 'robots';

/** Lists the pages of a job that could not be read. */
export const toErrorsResponse = (rows: readonly PageRow[]): Settings => ({
  errors: rows
    .filter((row) => row.verdict !== 'robots' && (isRefused(row) || !hasResponse(row)))
    .map(({ id, crawledAt, askedUrl, errorCode, reason }) => ({
      id,
      timestamp: crawledAt,
      url: askedUrl,
      code: errorCode,
      error: reason,
    })),
  robotsBlocked: rows.filter(({ verdict }) => verdict === 'robots').map(({ askedUrl }) => askedUrl),
});
