import type { CreditRequest, JobLeases } from '@tidemark/jobs';
import { ATTEMPT_POLICIES, retrySeconds } from '@tidemark/leased-work';
import type { Logger } from '@tidemark/service';
import type { ScrapeJob } from '../domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import type { RunJob } from './run-job.ts';

interface ResumeJobDeps {
  readonly leases: Pick<JobLeases, 'postpone'>;
  readonly runJob: RunJob;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  readonly log: Logger;
}

/** Starts the next attempt at a job that this instance has claimed; resolves when it has started. */
export type ResumeJob = (job: ScrapeJob) => Promise<void>;

export function makeResumeJob({ leases, runJob, ladder, exits, leaseCredits, log }: ResumeJobDeps): ResumeJob {
  return async (job) => {
    const { captureId: id, workspaceId, actorId, options } = job;
    const { maxCredits, minCredits } = creditsToLease(rungsFor(ladder, options, !exits.isEmpty), options.maxCredits);
    try {
      // An existing lease of the job is returned as it is.
      const granted = await leaseCredits({ id, workspaceId, actorId, maxCredits, minCredits });
      void runJob(job, granted);
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'credit lease for a job failed, will retry');
      await leases.postpone(job.id, retrySeconds(ATTEMPT_POLICIES.jobs, job.attempts));
    }
  };
}
