import { inTrace, type Logger, Rounds } from '@tidemark/service';
import { type AnyJob, MAX_ATTEMPTS } from './any-job.ts';
import type { Attempts } from './attempts.ts';

const KEEP_EVERY_MS = 2_000;
const TAKE_AT_ONCE = 20;

/** A job that has become ours, with the trace it came in. */
export interface Taken<Job> {
  readonly job: Job;
  readonly trace: Readonly<Record<string, string>>;
}

export interface KeeperDeps<Job extends AnyJob> {
  readonly attempts: Pick<Attempts<Job, { readonly job: Job }>, 'recorded' | 'jobsUnderWay' | 'freeSlots'>;
  /** Keeps jobs ours. @returns those that still are */
  readonly renew: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Makes jobs ours that nobody works on any more, so many at most and none of `except`. */
  readonly takeOver: (limit: number, except: readonly string[]) => Promise<readonly Taken<Job>[]>;
  /** Begins the next attempt at a job that has become ours; resolves when it has begun, not when it has ended. */
  readonly resume: (job: Job) => Promise<void> | void;
  /** Ends a job whose every attempt ended with its process. */
  readonly giveUp: (job: Job) => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Brings every accepted job to its end, whoever died: keeps the leases of our own, stops what was cancelled or taken elsewhere, and
 * takes over what nobody has renewed.
 */
export function openKeeper<Job extends AnyJob>(deps: KeeperDeps<Job>): Rounds {
  const { attempts, renew, takeOver, resume, giveUp, log } = deps;

  async function keepOurs(): Promise<void> {
    const ours = attempts.recorded();
    if (ours.length === 0) return;
    const still = await renew(ours.map(({ id }) => id));
    for (const { id, stop } of ours) if (!still.has(id)) stop();
  }

  /** A job that has become ours and can't be begun is anyone's again when its lease ends. */
  async function begin({ job, trace }: Taken<Job>): Promise<void> {
    log.info(
      { job: job.id, attempts: job.attempts, request_id: job.requestId },
      'took over a job whose process went silent',
    );
    try {
      // A job that ends every process it is tried in must not end them for ever.
      await inTrace(trace, async () => (job.attempts > MAX_ATTEMPTS ? giveUp(job) : resume(job)));
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'a job could not be begun; it is taken over again when its lease ends');
    }
  }

  async function round(): Promise<void> {
    await keepOurs();
    const limit = Math.min(attempts.freeSlots, TAKE_AT_ONCE);
    if (limit === 0) return;
    // A job whose attempt here is no longer ours waits until that has stopped: two at once would have one owner, and no fence.
    const taken = await takeOver(limit, attempts.jobsUnderWay);
    // All at once: one whose beginning takes its time holds up neither the others nor, for long, the next renewal.
    await Promise.all(taken.map(begin));
  }

  const failed = 'jobs could not be looked after; the next round tries';
  return new Rounds({ everyMs: KEEP_EVERY_MS, round, failed, log });
}
