import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Pace } from '@tidemark/host-pace';
import { type AttemptResult, type JobAttempts, type SettleFailure, toAttemptResult } from '@tidemark/jobs';
import type { Captured } from '../capture/capture-deps.ts';
import type { ScrapeJob } from '../domain/job.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import type { JobStore } from '../store/job-store.ts';
import { notInTime } from '../visit/host-report.ts';
import { type PageVisitor, UNCONTROLLED, type Visited } from '../visit/page-visitor.ts';

/** Result of the attempt that ended the job: the ended job, and its page if any. */
export interface JobResult {
  readonly job: ScrapeJob;
  readonly page: Page | undefined;
}

interface RunJobDeps {
  /** The single captures in progress in this process. */
  readonly attempts: Pick<JobAttempts, 'begin'>;
  readonly jobs: Pick<JobStore, 'find'>;
  readonly visitor: Pick<PageVisitor, 'visit'>;
  readonly extractPage: ExtractPage;
  /** Stores the bodies and completes the job. @returns undefined if this instance no longer holds the job's lease */
  readonly finishJob: (job: ScrapeJob, captured: Captured) => Promise<JobResult | undefined>;
  readonly settleFailure: SettleFailure<ScrapeJob, JobResult>;
  readonly now: () => Date;
}

/** The largest concurrency that a configuration may request: a client waits, and sets no pace. */
const PACE: Pace = { concurrency: 64, delayMs: 0 };

const taskOf = ({ id, captureId, workspaceId, url, options }: ScrapeJob): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: '',
  priority: 'interactive',
});

/**
 * Makes an attempt at a job whose lease this instance holds. `recorded` resolves when the job's row is committed; default: it is. Never
 * rejects.
 */
export type RunJob = (
  job: ScrapeJob,
  creditsLeased: number,
  recorded?: Promise<unknown>,
) => Promise<AttemptResult<ScrapeJob, JobResult>>;

export function makeRunJob({
  attempts,
  jobs,
  visitor,
  extractPage,
  finishJob,
  settleFailure,
  now,
}: RunJobDeps): RunJob {
  return async (job, creditsLeased, recorded) => {
    using attempt = attempts.begin(job, recorded);
    if (attempt === undefined) return toAttemptResult<ScrapeJob, JobResult>(jobs, job, undefined);
    const { signal } = attempt;
    try {
      await attempt.acquireSlot();
      const task = taskOf(job);
      const visit = visitor.visit({
        kind: 'scrape',
        task,
        pace: PACE,
        leaseCredits: async () => creditsLeased,
        signal,
        // A page is requested within the time that its response may take.
        waitBudgetMs: job.options.timeoutSeconds * 1_000,
        held: 0,
        waitsForRobots: false,
        control: UNCONTROLLED,
      });
      const [visited] = await Promise.all([visit, recorded]);
      signal.throwIfAborted();
      const captured = await extractPage(task, capturedIn(visited, task, now()), signal);
      return await toAttemptResult(jobs, job, await finishJob(job, captured));
    } catch (error) {
      return await (signal.aborted
        ? toAttemptResult<ScrapeJob, JobResult>(jobs, job, undefined)
        : settleFailure(job, error));
    }
  };
}

/** Returns the page; one that was postponed ends with what it got, because its client waits. */
function capturedIn(visited: Visited, task: PageTask, at: Date): Captured {
  if (visited.kind === 'stopped')
    throw new AppError('conflict', 'the job was cancelled or reassigned to another instance');
  if (visited.kind === 'captured') return visited.captured;
  if (visited.captured !== undefined) return visited.captured;
  return { row: unfetchedRow(task, at, notInTime(task.options.timeoutSeconds, visited.wait)), bodies: undefined };
}
