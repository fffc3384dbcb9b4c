import { inTrace, type Logger, PeriodicTask } from '@tidemark/service';
import type { AnyJob } from './any-job.ts';
import type { JobAttempts } from './job-attempts.ts';

/** Default interval, ms. Must be well below the lease duration. */
export const RECONCILE_MS = 2_000;
const MAX_CLAIMS = 20;

/** A job that this instance has claimed, with the trace context of its request. */
export interface ClaimedJob<Job> {
  readonly job: Job;
  /** Its last attempts were interrupted: it may be what ended their processes. */
  readonly isPoison: boolean;
  readonly trace: Readonly<Record<string, string>>;
}

export interface JobReconcilerDeps<Job extends AnyJob> {
  readonly attempts: Pick<JobAttempts, 'committed' | 'runningJobIds' | 'freeSlots'>;
  /** Renews leases. @returns the ids that this instance still owns */
  readonly renew: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Claims up to `limit` jobs whose lease has expired, except those of `except`. */
  readonly claimExpired: (limit: number, except: readonly string[]) => Promise<readonly ClaimedJob<Job>[]>;
  /** Starts the next attempt at a claimed job; resolves when it has started, not when it has ended. */
  readonly resume: (job: Job) => Promise<void> | void;
  /** Ends a job of which every attempt was interrupted. */
  readonly failJob: (job: Job) => Promise<unknown>;
  readonly log: Logger;
  /** Interval of the reconciliation, ms; default `RECONCILE_MS`. */
  readonly everyMs?: number;
}

/**
 * Renews the leases of this instance's jobs, stops attempts whose job was cancelled or reassigned, and claims jobs whose lease has
 * expired, so that every accepted job ends.
 */
export function openJobReconciler<Job extends AnyJob>({
  attempts,
  renew,
  claimExpired,
  resume,
  failJob,
  log,
  everyMs = RECONCILE_MS,
}: JobReconcilerDeps<Job>): PeriodicTask {
  async function renewLeases(): Promise<void> {
    const committed = attempts.committed();
    if (committed.length === 0) return;
    const owned = await renew(committed.map(({ id }) => id));
    for (const { id, stop } of committed) if (!owned.has(id)) stop();
  }

  async function resumeOne({ job, isPoison, trace }: ClaimedJob<Job>): Promise<void> {
    log.info({ job: job.id, attempts: job.attempts, request_id: job.requestId }, 'job with an expired lease claimed');
    try {
      await inTrace(trace, async () => (isPoison ? failJob(job) : resume(job)));
    } catch (error) {
      log.warn(
        { err: error, job: job.id },
        'claimed job could not be started; it is claimed again when its lease expires',
      );
    }
  }

  async function reconcile(): Promise<void> {
    await renewLeases();
    const limit = Math.min(attempts.freeSlots, MAX_CLAIMS);
    if (limit === 0) return;
    // A job with an attempt in this process is not claimed until that attempt has stopped: both would have the same fencing token.
    const claimed = await claimExpired(limit, attempts.runningJobIds);
    // Concurrently, so that a slow start delays neither the others nor the next renewal.
    await Promise.all(claimed.map(resumeOne));
  }

  const failed = 'job reconciliation failed, will retry';
  return new PeriodicTask({ everyMs, run: reconcile, failed, log });
}
