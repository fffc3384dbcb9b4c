import { AppError } from '@tidemark/errors';
import { type AttemptPolicy, afterFailure } from '@tidemark/leased-work';
import type { Logger } from '@tidemark/service';
import type { AnyJob } from './any-job.ts';
import { type AttemptResult, type FindJob, toAttemptResult } from './attempt-result.ts';
import type { JobLeases } from './job-leases.ts';

export interface SettleFailureDeps<Job, End> {
  readonly jobs: FindJob<Job>;
  readonly leases: Pick<JobLeases, 'retry'>;
  /** When a failed attempt is repeated. */
  readonly policy: AttemptPolicy;
  /** Ends a job after its last attempt failed. @returns undefined if this instance no longer holds its lease */
  readonly failJob: (job: Job, reason: string) => Promise<End | undefined>;
  readonly log: Logger;
}

/** Releases the job of a failed attempt for a retry, or fails it after its last one. Never rejects. */
export type SettleFailure<Job, End> = (job: Job, error: unknown) => Promise<AttemptResult<Job, End>>;

export function makeSettleFailure<Job extends AnyJob, End extends { readonly job: Job }>({
  jobs,
  leases,
  policy,
  failJob,
  log,
}: SettleFailureDeps<Job, End>): SettleFailure<Job, End> {
  return async (job, error) => {
    const { id, attempts, requestId } = job;
    const level = error instanceof AppError ? 'warn' : 'error';
    log[level]({ err: error, job: id, attempts, request_id: requestId }, 'job attempt failed');
    const after = afterFailure(policy, attempts);
    try {
      if (after.next === 'give_up') {
        const reason = error instanceof AppError ? error.message : 'internal error';
        return await toAttemptResult(jobs, job, await failJob(job, reason));
      }
      await leases.retry(id, after.inSeconds);
    } catch (cause) {
      log.warn(
        { err: cause, job: id },
        'failed job attempt could not be recorded; the job is reassigned when its lease expires',
      );
    }
    return { job, end: undefined };
  };
}
