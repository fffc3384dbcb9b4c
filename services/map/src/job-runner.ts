import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { type Job, MAX_ATTEMPTS, retryInSeconds } from './domain/job.ts';
import type { Outcome } from './finish-job.ts';
import type { MapBudget, Mapped } from './map-site.ts';
import type { JobStore, Progress } from './store/job-store.ts';

export interface JobRunnerDeps {
  readonly jobs: JobStore;
  readonly map: (job: Job, budget: MapBudget) => Promise<Mapped>;
  /** Ends the job. @returns undefined where it was no longer ours to end */
  readonly finish: (job: Job, mapped: Mapped) => Promise<Outcome | undefined>;
  readonly giveUp: (job: Job, why: string) => Promise<Outcome | undefined>;
  readonly log: Logger;
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

/** Milliseconds one map may take: what is not read by then is said to be unread. */
const MAP_MS = 15 * 60_000;

interface UnderWay {
  readonly stopped: AbortController;
  done: number;
  total: number;
}

const lost = () => new AppError('conflict', 'the job is another process’s by now');

/** The maps under way in this process. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #running = new Map<string, UnderWay>();
  readonly #turns: (() => void)[] = [];
  #busy = 0;
  #closing = false;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** How far the maps under way are. */
  progress(): Progress[] {
    return [...this.#running].map(([id, { done, total }]) => ({ id, done, total }));
  }

  /** The jobs an attempt is under way at here, also where it is just being stopped. */
  get jobsUnderWay(): string[] {
    return [...this.#running.keys()];
  }

  get freeSlots(): number {
    return this.#closing ? 0 : Math.max(0, this.#deps.maxRunning - this.#busy);
  }

  get hasRoom(): boolean {
    return !this.#closing && this.#turns.length < this.#deps.maxWaiting;
  }

  /** Stops a map that is no longer ours; what it brings home changes nothing. */
  stop(jobId: string): void {
    this.#running.get(jobId)?.stopped.abort(lost());
  }

  /** Runs one attempt at a job that is ours, whose row is committed. Never throws. */
  async run(job: Job): Promise<Outcome> {
    const entry: UnderWay = { stopped: new AbortController(), done: 0, total: 0 };
    this.#running.set(job.id, entry);
    if (this.#busy >= this.#deps.maxRunning) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#busy += 1;
    const endsAtMs = performance.now() + MAP_MS;
    const budget: MapBudget = {
      signal: entry.stopped.signal,
      remainingMs: () => endsAtMs - performance.now(),
      onProgress: (done, total) => Object.assign(entry, { done, total }),
    };
    try {
      budget.signal.throwIfAborted();
      const mapped = await this.#deps.map(job, budget);
      return (await this.#deps.finish(job, mapped)) ?? (await this.#asItStands(job));
    } catch (error) {
      return await this.#failed(job, error, budget.signal);
    } finally {
      if (this.#running.get(job.id) === entry) this.#running.delete(job.id);
      this.#busy -= 1;
      this.#turns.shift()?.();
    }
  }

  async #failed(job: Job, error: unknown, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return this.#asItStands(job);
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    const { log, jobs, giveUp } = this.#deps;
    log.warn(
      { err: error, job: job.id, attempts: job.attempts, request_id: job.requestId },
      'an attempt at a map failed',
    );
    try {
      if (job.attempts >= MAX_ATTEMPTS) return (await giveUp(job, why)) ?? (await this.#asItStands(job));
      await jobs.release(job.id, retryInSeconds(job.attempts));
    } catch (cause) {
      log.warn(
        { err: cause, job: job.id },
        'a failed attempt could not be noted; the job is taken over when its lease ends',
      );
    }
    return { job, mapped: undefined };
  }

  /** A job that was not ours to end: taken over, or ended by a statement of ours whose answer was lost. */
  async #asItStands(job: Job): Promise<Outcome> {
    const found = await this.#deps.jobs.find(job.workspaceId, job.id).catch(() => undefined);
    return { job: found ?? job, mapped: undefined };
  }

  /** Waits a little for what is under way; the rest is taken over by another process. */
  async close(): Promise<void> {
    this.#closing = true;
    const until = Date.now() + 3_000;
    while (this.#running.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const { stopped } of this.#running.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}
