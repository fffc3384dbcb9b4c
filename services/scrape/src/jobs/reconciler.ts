import { type CreditRequest, type JobLeases, openJobReconciler, retryInSeconds } from '@tidemark/jobs';
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
}

/** Begins the next attempt at a job that has become ours. */
async function resume({ leases, run, ladder, exits, leaseCredits, log }: Deps, job: Job): Promise<void> {
  const { maxCredits, minCredits } = creditsToLease(
    rungsFor(ladder, job.options, !exits.isEmpty),
    job.options.maxCredits,
  );
  try {
    // Its credits may still be set aside: then this answers with what is.
    const granted = await leaseCredits({ id: job.captureId, workspaceId: job.workspaceId, maxCredits, minCredits });
    void run(job, granted);
  } catch (error) {
    log.warn({ err: error, job: job.id }, 'credits for a job could not be asked for; it waits');
    await leases.release(job.id, retryInSeconds(job.attempts), true);
  }
}

/** Brings every accepted job to its end, whoever died, and stops those that were cancelled elsewhere. */
export function openReconciler(deps: Deps): PeriodicTask {
  const { jobs, leases, runner, failJob, log } = deps;
  return openJobReconciler<Job>({
    runner,
    renew: (ids) => leases.renew(ids),
    claimExpired: (limit, except) => jobs.takeOver(limit, except),
    resume: (job) => resume(deps, job),
    failJob: (job) => failJob(job, 'every attempt at this page ended before it was read'),
    log,
  });
}
