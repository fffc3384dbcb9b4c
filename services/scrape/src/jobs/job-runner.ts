import type { Page } from '@tidemark/contracts/page/v1/page';
import type * as jobs from '@tidemark/jobs';
import type { Captured } from '../capture/capture-deps.ts';
import type { Job } from '../domain/job.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';

/** Result of the attempt that ended the job: the ended job, and its page if any. */
export interface JobResult {
  readonly job: Job;
  readonly page: Page | undefined;
}

/** The single captures in progress in this process. */
export type JobRunner = jobs.AttemptRunner<Job, JobResult>;

export interface RunJobDeps {
  readonly runner: JobRunner;
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly extractPage: ExtractPage;
  /** Stores the bodies and completes the job. @returns undefined if this instance no longer holds the job's lease */
  readonly finish: (job: Job, captured: Captured) => Promise<JobResult | undefined>;
}

/** Time limit of one capture, all engines together, ms. */
const CAPTURE_MS = 120_000;

/** Returns the capture task of an interactive job: not paced, no session. */
const taskOf = ({ id, captureId, workspaceId, url, options }: Job): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: '',
  isPaced: false,
  priority: 'interactive',
});

/** Runs one attempt at a job whose lease this instance holds. `recorded` resolves when the job's row is committed. Never rejects. */
export function makeRunJob({ runner, capture, extractPage, finish }: RunJobDeps) {
  const attempt = async (job: Job, creditsLeased: number, signal: AbortSignal, recorded?: Promise<unknown>) => {
    const endsAtMs = Date.now() + CAPTURE_MS;
    const budget: Budget = { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal };
    const task = taskOf(job);
    const [captured] = await Promise.all([capture(task, creditsLeased, budget), recorded]);
    return finish(job, await extractPage(task, captured, signal));
  };
  return (job: Job, creditsLeased: number, recorded?: Promise<unknown>): Promise<jobs.AttemptResult<Job, JobResult>> =>
    runner.run(job, (signal) => attempt(job, creditsLeased, signal, recorded), recorded);
}

export type RunJob = ReturnType<typeof makeRunJob>;
