import { type CreditRequest, type JobLeases, openJobReconciler, retryInSeconds } from '@tidemark/jobs';
import { type Logger, PeriodicTask } from '@tidemark/service';
import type { Job } from './domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from './domain/ladder.ts';
import type { JobRunner, RunJob } from './job-runner.ts';
import type { JobStore } from './store/job-store.ts';

/** Longer than an offer takes to be accepted, shorter than anyone's patience. */
const OFFER_EVERY_MS = 5_000;
/** A host's pages are offered once in this time, however often they are found waiting. */
const OFFERED_ONCE_MS = 30_000;

interface Deps {
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly runner: JobRunner;
  readonly run: RunJob;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  readonly giveUp: (job: Job, why: string) => Promise<unknown>;
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
  const { jobs, leases, runner, giveUp, log } = deps;
  return openJobReconciler<Job>({
    runner,
    renew: (ids) => leases.renew(ids),
    claimExpired: (limit, except) => jobs.takeOver(limit, except),
    resume: (job) => resume(deps, job),
    failJob: (job) => giveUp(job, 'every attempt at this page ended before it was read'),
    log,
  });
}

interface OfferDeps {
  /** Batch pages nobody works on. */
  readonly abandoned: () => Promise<readonly { jobId: string; host: string }[]>;
  readonly offer: (jobId: string, host: string, round: string) => Promise<void>;
  readonly log: Logger;
}

/** What NATS lost, or a dead process left, is offered again; an offer made twice is taken once. */
export function openOffers({ abandoned, offer, log }: OfferDeps): PeriodicTask {
  const offerForsaken = async () => {
    const round = String(Math.floor(Date.now() / OFFERED_ONCE_MS));
    for (const { jobId, host } of await abandoned()) await offer(jobId, host, round);
  };
  const failed = 'forsaken batches could not be looked for; the next round tries';
  return new PeriodicTask({ everyMs: OFFER_EVERY_MS, run: offerForsaken, failed, log });
}
