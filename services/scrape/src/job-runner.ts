import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { Captured } from './capture-page.ts';
import { type Job, MAX_ATTEMPTS, retryInSeconds } from './domain/job.ts';
import type { Budget } from './domain/ports.ts';
import type { JobStore } from './store/job-store.ts';

/** What came of an attempt: the job as it stands, and the page if it ended with one. */
export interface Outcome {
  readonly status: 'done' | 'error' | 'cancelled' | 'retrying';
  readonly page: Page | undefined;
  readonly error: string | undefined;
}

export interface JobRunnerDeps {
  readonly jobs: JobStore;
  readonly capture: (job: Job, creditsLeased: number, budget: Budget) => Promise<Captured>;
  /** Stores the bodies and ends the job. @returns the page, or undefined where the job was no longer ours */
  readonly finish: (job: Job, captured: Captured) => Promise<Page | undefined>;
  /** Ends a job that keeps failing for reasons of ours. */
  readonly giveUp: (job: Job, why: string) => Promise<boolean>;
  readonly log: Logger;
  /** Captures under way at once; more wait their turn. */
  readonly maxRunning: number;
  /** Captures that may wait; more are refused. */
  readonly maxWaiting: number;
}

/** Milliseconds one capture may take from its turn to its end, all engines together. */
const CAPTURE_MS = 120_000;

/** The captures under way in this process: how many, how long, and stopped when their job is. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #running = new Map<string, AbortController>();
  readonly #turns: (() => void)[] = [];
  #busy = 0;
  #closing = false;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  get runningIds(): string[] {
    return [...this.#running.keys()];
  }

  get freeSlots(): number {
    return this.#closing ? 0 : Math.max(0, this.#deps.maxRunning - this.#busy);
  }

  /** Whether another capture may be accepted. */
  get hasRoom(): boolean {
    return !this.#closing && this.#turns.length < this.#deps.maxWaiting;
  }

  /** Stops a capture under way; what it brings home then changes nothing. */
  stop(jobId: string): void {
    this.#running.get(jobId)?.abort(new AppError('conflict', 'the job was cancelled'));
  }

  /** Runs one attempt at a job that is ours. `recorded` resolves when the job's row is committed. Never throws. */
  async run(job: Job, creditsLeased: number, recorded: Promise<unknown>): Promise<Outcome> {
    const stopped = new AbortController();
    this.#running.set(job.id, stopped);
    await this.#turn();
    const endsAtMs = Date.now() + CAPTURE_MS;
    const budget: Budget = { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal: stopped.signal };
    try {
      const [captured] = await Promise.all([this.#deps.capture(job, creditsLeased, budget), recorded]);
      const page = await this.#deps.finish(job, captured);
      return page === undefined
        ? { status: 'cancelled', page, error: undefined }
        : { status: 'done', page, error: undefined };
    } catch (error) {
      return await this.#failed(job, error, stopped.signal);
    } finally {
      this.#running.delete(job.id);
      this.#busy -= 1;
      this.#turns.shift()?.();
    }
  }

  async #failed(job: Job, error: unknown, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return { status: 'cancelled', page: undefined, error: undefined };
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    const level = error instanceof AppError ? 'warn' : 'error';
    this.#deps.log[level](
      { err: error, job: job.id, attempts: job.attempts, request_id: job.requestId },
      'an attempt at a job failed',
    );
    try {
      if (job.attempts >= MAX_ATTEMPTS) {
        const ended = await this.#deps.giveUp(job, why);
        return ended
          ? { status: 'error', page: undefined, error: why }
          : { status: 'cancelled', page: undefined, error: undefined };
      }
      await this.#deps.jobs.release(job.id, retryInSeconds(job.attempts));
    } catch (cause) {
      this.#deps.log.warn(
        { err: cause, job: job.id },
        'a failed attempt could not be noted; the job is taken over when its lease ends',
      );
    }
    return { status: 'retrying', page: undefined, error: undefined };
  }

  async #turn(): Promise<void> {
    if (this.#busy >= this.#deps.maxRunning) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#busy += 1;
  }

  /** Waits a little for what is under way; the rest is taken over by another process. */
  async close(): Promise<void> {
    this.#closing = true;
    const until = Date.now() + 4_000;
    while (this.#running.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const stopped of this.#running.values()) stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}
