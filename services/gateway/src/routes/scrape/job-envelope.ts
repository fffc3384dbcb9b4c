import type { JobEnvelope, JobSummary, PageRow } from '@tidemark/api';
import { JOB_STATUSES } from '@tidemark/api';
import type { Job } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';

export function statusOf(job: Job): (typeof JOB_STATUSES)[number] {
  const status = JOB_STATUSES.find((known) => known === job.status);
  if (status === undefined) throw new AppError('internal', `a job has the unknown status ${job.status}`);
  return status;
}

/** Pages by verdict. */
function countsOf(rows: readonly PageRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[row.verdict] = (counts[row.verdict] ?? 0) + 1;
  return counts;
}

const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

/** The job as the specification's envelope, with the pages at hand. */
export function toEnvelope(job: Job, rows: readonly PageRow[], requestId: string): JobEnvelope {
  const status = statusOf(job);
  // A job is done when its pages can be read.
  const awaited = status === 'done' && rows.length < job.done;
  return {
    id: job.id,
    kind: job.kind,
    status: awaited ? 'running' : status,
    progress: { done: rows.length, total: job.total, queued: 0 },
    creditsUsed: job.creditsUsed,
    counts: countsOf(rows),
    stop: job.stop ?? null,
    error: job.error ?? null,
    createdAt: timeOf(job.createdAt),
    finishedAt: job.finishedAt === undefined || awaited ? null : timeOf(job.finishedAt),
    data: [...rows],
    next: null,
    cursor: null,
    request_id: requestId,
  };
}

export function toSummary(job: Job): JobSummary {
  const { data: _, next: __, cursor: ___, request_id: ____, ...envelope } = toEnvelope({ ...job, done: 0 }, [], '');
  return {
    ...envelope,
    status: statusOf(job),
    progress: { done: job.done, total: job.total, queued: 0 },
    url: job.url,
  };
}
