import { inTrace, type Logger } from '@tidemark/service';
import { type Job, MAX_ATTEMPTS } from './domain/job.ts';
import type { JobRunner, JobRunnerDeps } from './job-runner.ts';
import type { JobStore } from './store/job-store.ts';

const EVERY_MS = 2_000;
const TAKE_AT_ONCE = 10;
const FORGET_EVERY_MS = 3_600_000;

interface Deps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  readonly giveUp: JobRunnerDeps['giveUp'];
  readonly log: Logger;
}

/** Brings every accepted map to its end, whoever died: keeps the leases of our own, and takes over those nobody has renewed. */
export class Reconciler {
  readonly #deps: Deps;
  readonly #timers: readonly NodeJS.Timeout[];
  #under = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#timers = [
      setInterval(() => void this.#round(), EVERY_MS),
      setInterval(() => void this.#forget(), FORGET_EVERY_MS),
    ];
  }

  async #round(): Promise<void> {
    if (this.#under) return;
    this.#under = true;
    try {
      await this.#keepOurs();
      await this.#takeOver();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'maps could not be looked after; the next round tries');
    }
    this.#under = false;
  }

  async #keepOurs(): Promise<void> {
    const { jobs, runner } = this.#deps;
    const progress = runner.progress();
    if (progress.length === 0) return;
    const still = await jobs.renew(progress);
    for (const { id } of progress) if (!still.has(id)) runner.stop(id);
  }

  /** A job whose attempt here is no longer ours waits until that has stopped. */
  async #takeOver(): Promise<void> {
    const { jobs, runner, log } = this.#deps;
    const slots = Math.min(runner.freeSlots, TAKE_AT_ONCE);
    if (slots === 0) return;
    for (const { job, trace } of await jobs.takeOver(slots, runner.jobsUnderWay)) {
      log.info({ job: job.id, attempts: job.attempts }, 'took over a map whose process went silent');
      await inTrace(trace, () => this.#resume(job));
    }
  }

  async #resume(job: Job): Promise<void> {
    // A site that ends every process it is read by must not end them for ever.
    if (job.attempts > MAX_ATTEMPTS) await this.#deps.giveUp(job, 'every attempt at this map ended before it was done');
    else void this.#deps.runner.run(job);
  }

  async #forget(): Promise<void> {
    await this.#deps.jobs
      .forgetOldKeys()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'old idempotency keys stay a while longer'));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
