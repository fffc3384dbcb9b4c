import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Pace } from '@tidemark/host-pace';
import type * as jobs from '@tidemark/jobs';
import type { Captured } from '../capture/capture-deps.ts';
import type { Job } from '../domain/job.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import { notInTime } from '../visit/host-report.ts';
import { type PageVisitor, UNCONTROLLED, type Visited } from '../visit/page-visitor.ts';

/** Result of the attempt that ended the job: the ended job, and its page if any. */
export interface JobResult {
  readonly job: Job;
  readonly page: Page | undefined;
}

/** The single captures in progress in this process. */
export type JobRunner = jobs.AttemptRunner<Job, JobResult>;

export interface RunJobDeps {
  readonly runner: Pick<JobRunner, 'run'>;
  readonly visitor: Pick<PageVisitor, 'visit'>;
  readonly extractPage: ExtractPage;
  /** Stores the bodies and completes the job. @returns undefined if this instance no longer holds the job's lease */
  readonly finish: (job: Job, captured: Captured) => Promise<JobResult | undefined>;
  readonly now: () => Date;
}

/** The largest concurrency that a configuration may request: a client waits, and sets no pace. */
const PACE: Pace = { concurrency: 64, delayMs: 0 };

const taskOf = ({ id, captureId, workspaceId, url, options }: Job): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: '',
  priority: 'interactive',
});

/** Starts an attempt at a job whose lease this instance holds. `recorded` resolves when the job's row is committed. Never rejects. */
export type RunJob = (
  job: Job,
  creditsLeased: number,
  recorded?: Promise<unknown>,
) => Promise<jobs.AttemptResult<Job, JobResult>>;

export function makeRunJob({ runner, visitor, extractPage, finish, now }: RunJobDeps): RunJob {
  return (job, creditsLeased, recorded) => {
    const task = taskOf(job);
    const attempt = async (signal: AbortSignal): Promise<JobResult | undefined> => {
      const visit = visitor.visit({
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
      return finish(job, await extractPage(task, capturedIn(visited, task, now()), signal));
    };
    return runner.run(job, attempt, recorded);
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
