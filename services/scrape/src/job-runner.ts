import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { Captured } from './capture-deps.ts';
import { type Job, MAX_ATTEMPTS, retryInSeconds } from './domain/job.ts';
import type { PageTask } from './domain/page-task.ts';
import type { Budget } from './domain/ports.ts';
import type { JobStore } from './store/job-store.ts';

/** What came of an attempt: the job as it stands, still running where it is to be tried again, and the page if it ended with one. */
export interface Outcome {
  readonly job: Job;
  readonly page: Page | undefined;
}

export interface JobRunnerDeps {
  readonly jobs: JobStore;
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  /** Stores the bodies and ends the job. @returns undefined where the job was no longer ours to end */
  readonly finish: (job: Job, captured: Captured) => Promise<Outcome | undefined>;
  /** Ends a job that keeps failing for reasons of ours. */
  readonly giveUp: (job: Job, why: string) => Promise<Outcome | undefined>;
  readonly log: Logger;
  /** Captures under way at once; more wait their turn. */
  readonly maxRunning: number;
  /** Captures that may wait; more are refused. */
  readonly maxWaiting: number;
}

/** Milliseconds one capture may take from its turn to its end, all engines together. */
const CAPTURE_MS = 120_000;

const calledOff = () => new AppError('conflict', 'the job was cancelled, or is another process’s by now');

/** A page somebody waits for goes at once, alone. */
const taskOf = ({ id, captureId, workspaceId, url, options }: Job): PageTask => ({
  jobId: id,
  captureId,
  workspaceId,
  url,
  options,
  session: '',
  isPaced: false,
  lane: 'interactive',
});

/** The captures under way in this process: how many, how long, and stopped when their job is. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #running = new Map<string, { readonly stopped: AbortController; recorded: boolean }>();
  readonly #turns: (() => void)[] = [];
  #busy = 0;
  #closing = false;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** Attempts under way whose rows are committed: those whose leases are to be renewed, or which are to be stopped. */
  recorded(): { readonly id: string; readonly stop: () => void }[] {
    return [...this.#running]
      .filter(([, { recorded }]) => recorded)
      .map(([id, { stopped }]) => ({ id, stop: () => stopped.abort(calledOff()) }));
  }

  /** The jobs an attempt is under way at here, also where it is just being stopped. */
  get jobsUnderWay(): string[] {
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
    this.#running.get(jobId)?.stopped.abort(calledOff());
  }

  /** Runs one attempt at a job that is ours. `recorded` resolves when the job's row is committed. Never throws. */
  async run(job: Job, creditsLeased: number, recorded: Promise<unknown>): Promise<Outcome> {
    const stopped = new AbortController();
    const entry = { stopped, recorded: false };
    this.#running.set(job.id, entry);
    recorded.then(
      () => {
        entry.recorded = true;
      },
      () => undefined,
    );
    await this.#turn();
    const endsAtMs = Date.now() + CAPTURE_MS;
    const budget: Budget = { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal: stopped.signal };
    try {
      const [captured] = await Promise.all([this.#deps.capture(taskOf(job), creditsLeased, budget), recorded]);
      return (await this.#deps.finish(job, captured)) ?? (await this.#asItStands(job));
    } catch (error) {
      return await this.#failed(job, error, stopped.signal);
    } finally {
      // A later attempt at the same job may have begun here meanwhile.
      if (this.#running.get(job.id) === entry) this.#running.delete(job.id);
      this.#busy -= 1;
      this.#turns.shift()?.();
    }
  }

  async #failed(job: Job, error: unknown, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return this.#asItStands(job);
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    const level = error instanceof AppError ? 'warn' : 'error';
    this.#deps.log[level](
      { err: error, job: job.id, attempts: job.attempts, request_id: job.requestId },
      'an attempt at a job failed',
    );
    try {
      if (job.attempts >= MAX_ATTEMPTS) {
        return (await this.#deps.giveUp(job, why)) ?? (await this.#asItStands(job));
      }
      await this.#deps.jobs.release(job.id, retryInSeconds(job.attempts));
    } catch (cause) {
      this.#deps.log.warn(
        { err: cause, job: job.id },
        'a failed attempt could not be noted; the job is taken over when its lease ends',
      );
    }
    return { job, page: undefined };
  }

  /** A job that was not ours to end: cancelled, taken over, or ended by a statement of ours whose answer was lost. */
  async #asItStands(job: Job): Promise<Outcome> {
    const found = await this.#deps.jobs.find(job.workspaceId, job.id).catch(() => undefined);
    return { job: found ?? job, page: undefined };
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
    for (const { stopped } of this.#running.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}
