import { type CreditRequest, type JobLeases, openJobReconciler } from '@tidemark/jobs';
import { ATTEMPT_POLICIES, retrySeconds } from '@tidemark/leased-work';
import type { Logger, PeriodicTask } from '@tidemark/service';
import type { Job } from '../domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import type { JobStore } from '../store/job-store.ts';
import type { JobRunner, RunJob } from './job-runner.ts';

interface Deps {
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly runner: JobRunner;
  readonly run: RunJob;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  readonly failJob: (job: Job, why: string) => Promise<unknown>;
  readonly log: Logger;
  readonly everyMs: number;
}

/** Starts the next attempt at a job that this instance has claimed. */
async function resume({ leases, run, ladder, exits, leaseCredits, log }: Deps, job: Job): Promise<void> {
  const { maxCredits, minCredits } = creditsToLease(
    rungsFor(ladder, job.options, !exits.isEmpty),
    job.options.maxCredits,
  );
  try {
    // An existing lease of the job is returned as it is.
    const { captureId: id, workspaceId, actorId } = job;
    const granted = await leaseCredits({ id, workspaceId, actorId, maxCredits, minCredits });
    void run(job, granted);
  } catch (error) {
    log.warn({ err: error, job: job.id }, 'credit lease for a job failed, will retry');
    await leases.postpone(job.id, retrySeconds(ATTEMPT_POLICIES.jobs, job.attempts));
  }
}

/** Claims and retries jobs whose lease has expired, fails those out of attempts, and stops those cancelled by another instance. */
export function openReconciler(deps: Deps): PeriodicTask {
  const { jobs, leases, runner, failJob, log, everyMs } = deps;
  return openJobReconciler<Job>({
    runner,
    renew: (ids) => leases.renew(ids),
    claimExpired: (limit, except) => jobs.takeOver(limit, except),
    resume: (job) => resume(deps, job),
    failJob: (job) => failJob(job, 'every attempt at this page ended before it was read'),
    log,
    everyMs,
  });
}
