import type { JobEnvelope, JobSummary, PageRow } from '@tidemark/api';
import type { Job } from '@tidemark/contracts/scrape/v1/scrape';

import { type NextPage, NO_NEXT_PAGE } from '../requests/list-cursors.ts';

/** Counts pages by verdict. */
function countsOf(rows: readonly PageRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[row.verdict] = (counts[row.verdict] ?? 0) + 1;
  return counts;
}

/** Counts pages without requested values by reason. */
function missingOf(rows: readonly PageRow[]): Record<string, number> {
  const missing: Record<string, number> = {};
  for (const { extractError } of rows)
    if (extractError) missing[extractError.code] = (missing[extractError.code] ?? 0) + 1;
  return missing;
}

/** Returns the field `missingValues`; none if no value is missing. */
export const missingField = (missingValues: Record<string, number>): Pick<JobEnvelope, 'missingValues'> =>
  Object.keys(missingValues).length === 0 ? {} : { missingValues };

export const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

/** The fields of an envelope that depend on the request. */
export interface EnvelopeContext {
  readonly requestId: string;
  /** The following pages; by default none. */
  readonly nextPage?: NextPage;
}

/** Converts a job and its pages to the job envelope. */
export function toEnvelope(
  job: Job,
  rows: readonly PageRow[],
  { requestId, nextPage = NO_NEXT_PAGE }: EnvelopeContext,
): JobEnvelope {
  const { status } = job;
  const isBatch = job.kind === 'batch';
  // A single scrape is reported as done only when its page can be read from the archive.
  const isPageMissing = !isBatch && status === 'done' && rows.length < job.done;
  return {
    id: job.id,
    kind: job.kind,
    status: isPageMissing ? 'running' : status,
    progress: { done: isBatch ? job.done : rows.length, total: job.total, queued: job.queued },
    creditsUsed: job.creditsUsed,
    counts: isBatch ? job.counts : countsOf(rows),
    ...missingField(isBatch ? job.missingValues : missingOf(rows)),
    stop: null,
    error: job.error ?? null,
    createdAt: timeOf(job.createdAt),
    finishedAt: job.finishedAt === undefined || isPageMissing ? null : timeOf(job.finishedAt),
    data: [...rows],
    ...nextPage,
    request_id: requestId,
  };
}

export function toSummary(job: Job): JobSummary {
  return {
    id: job.id,
    kind: job.kind,
    status: job.status,
    progress: { done: job.done, total: job.total, queued: job.queued },
    creditsUsed: job.creditsUsed,
    counts: job.counts,
    ...missingField(job.missingValues),
    stop: null,
    error: job.error ?? null,
    createdAt: timeOf(job.createdAt),
    finishedAt: job.finishedAt === undefined ? null : timeOf(job.finishedAt),
    url: job.url,
  };
}
