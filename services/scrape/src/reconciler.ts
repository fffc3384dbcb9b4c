import { inTrace, type Logger } from '@tidemark/service';
import { type Job, MAX_ATTEMPTS, retryInSeconds } from './domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from './domain/ladder.ts';
import type { JobRunner, JobRunnerDeps } from './job-runner.ts';
import type { CreditWish } from './lease-credits.ts';
import type { JobStore } from './store/job-store.ts';

const EVERY_MS = 2_000;
const TAKE_AT_ONCE = 20;
/** Longer than an offer takes to be accepted, shorter than anyone's patience. */
const OFFER_EVERY_MS = 5_000;
/** A host's pages are offered once in this time, however often they are found waiting. */
const OFFERED_ONCE_MS = 30_000;
const FORGET_EVERY_MS = 3_600_000;

interface Deps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  /** Batch pages nobody works on. */
  readonly forsaken: () => Promise<readonly { jobId: string; host: string }[]>;
  readonly offer: (jobId: string, host: string, round: string) => Promise<void>;
  readonly leaseCredits: (wish: CreditWish) => Promise<number>;
  readonly giveUp: JobRunnerDeps['giveUp'];
  readonly log: Logger;
}

/** Begins the next attempt at a job that has become ours. */
async function resume({ jobs, runner, ladder, exits, leaseCredits, giveUp, log }: Deps, job: Job): Promise<void> {
  // A page that ends every process it is read by must not end them for ever.
  if (job.attempts > MAX_ATTEMPTS) {
    await giveUp(job, 'every attempt at this page ended before it was read');
    return;
  }
  const { want, least } = creditsToLease(rungsFor(ladder, job.options, !exits.isEmpty), job.options.maxCredits);
  try {
    // Its credits may still be set aside: then this answers with what is.
    const granted = await leaseCredits({ id: job.captureId, workspaceId: job.workspaceId, want, least });
    void runner.run(job, granted, Promise.resolve());
  } catch (error) {
    log.warn({ err: error, job: job.id }, 'credits for a job could not be asked for; it waits');
    await jobs.release(job.id, retryInSeconds(job.attempts), true);
  }
}

/**
 * Brings every accepted job to its end, whoever died: keeps the leases of our own jobs, stops those that were cancelled
 * elsewhere, and takes over those nobody has renewed.
 */
export class Reconciler {
  readonly #deps: Deps;
  readonly #timers: readonly NodeJS.Timeout[];
  #under = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#timers = [
      setInterval(() => void this.#round(), EVERY_MS),
      setInterval(() => void this.#forget(), FORGET_EVERY_MS),
      setInterval(() => void this.#offerForsaken(), OFFER_EVERY_MS),
    ];
  }

  async #round(): Promise<void> {
    if (this.#under) return;
    this.#under = true;
    try {
      await this.#keepOurs();
      await this.#takeOver();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'jobs could not be looked after; the next round tries');
    }
    this.#under = false;
  }

  async #keepOurs(): Promise<void> {
    const { jobs, runner } = this.#deps;
    const attempts = runner.recorded();
    if (attempts.length === 0) return;
    const still = await jobs.renew(attempts.map(({ id }) => id));
    for (const attempt of attempts) if (!still.has(attempt.id)) attempt.stop();
  }

  /** A job whose attempt here is no longer ours waits until that has stopped. */
  async #takeOver(): Promise<void> {
    const { jobs, runner, log } = this.#deps;
    const slots = Math.min(runner.freeSlots, TAKE_AT_ONCE);
    if (slots === 0) return;
    for (const { job, trace } of await jobs.takeOver(slots, runner.jobsUnderWay)) {
      log.info(
        { job: job.id, attempts: job.attempts, request_id: job.requestId },
        'took over a job whose process went silent',
      );
      await inTrace(trace, () => resume(this.#deps, job));
    }
  }

  /** What NATS lost, or a dead process left, is offered again; an offer made twice is taken once. */
  async #offerForsaken(): Promise<void> {
    try {
      const round = String(Math.floor(Date.now() / OFFERED_ONCE_MS));
      for (const { jobId, host } of await this.#deps.forsaken()) await this.#deps.offer(jobId, host, round);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'forsaken batches could not be looked for; the next round tries');
    }
  }

  async #forget(): Promise<void> {
    const { jobs, log } = this.#deps;
    await jobs
      .forgetOldKeys()
      .catch((error: unknown) => log.warn({ err: error }, 'old idempotency keys stay a while longer'));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
