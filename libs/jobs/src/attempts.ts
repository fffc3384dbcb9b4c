import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { type AnyJob, MAX_ATTEMPTS, retryInSeconds } from './any-job.ts';
import type { JobLeases } from './job-leases.ts';

/** What came of an attempt: the job as it stands, still running where it is to be tried again, and its end where this attempt made it. */
export interface Outcome<Job, End> {
  readonly job: Job;
  readonly end: End | undefined;
}

export interface AttemptsDeps<Job, End> {
  readonly jobs: { find(workspaceId: string, id: string): Promise<Job | undefined> };
  readonly leases: Pick<JobLeases, 'release'>;
  /** Ends a job that keeps failing for reasons of ours. @returns undefined where it was no longer ours to end */
  readonly giveUp: (job: Job, why: string) => Promise<End | undefined>;
  readonly log: Logger;
  /** Attempts under way at once; more wait their turn. */
  readonly maxRunning: number;
  /** Attempts that may wait; more are to be refused. */
  readonly maxWaiting: number;
  /** How long what is under way may go on once the process is ending. */
  readonly closeWithinMs?: number;
}

interface UnderWay {
  readonly stopped: AbortController;
  isRecorded: boolean;
}

const lost = () => new AppError('conflict', 'the job was cancelled, or is another process’s by now');

/** The attempts under way in this process: how many, at which jobs, one at a job, each stopped when its job is. */
export class Attempts<Job extends AnyJob, End extends { readonly job: Job }> {
  readonly #deps: AttemptsDeps<Job, End>;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #isClosing = false;

  constructor(deps: AttemptsDeps<Job, End>) {
    this.#deps = deps;
    this.#free = deps.maxRunning;
  }

  /** Attempts whose jobs' rows are committed: their leases are to be renewed, and those that are no longer ours stopped. */
  recorded(): { readonly id: string; readonly stop: () => void }[] {
    return [...this.#underWay]
      .filter(([, { isRecorded }]) => isRecorded)
      .map(([id, { stopped }]) => ({ id, stop: () => stopped.abort(lost()) }));
  }

  /** The jobs an attempt is under way at here, also where it is just being stopped. */
  get jobsUnderWay(): string[] {
    return [...this.#underWay.keys()];
  }

  get freeSlots(): number {
    return this.#isClosing ? 0 : this.#free;
  }

  /** Jobs that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether another job may be taken on. */
  get hasRoom(): boolean {
    return !this.#isClosing && this.#waiting.length < this.#deps.maxWaiting;
  }

  /** Stops the attempt at a job; what it brings home then changes nothing. */
  stop(jobId: string): void {
    this.#underWay.get(jobId)?.stopped.abort(lost());
  }

  /**
   * Runs one attempt at a job that is ours, when its turn comes. `attempt` ends the job and tells how, or tells that it was not ours
   * to end. `recorded` resolves when the job's row is committed; left out, it is. Never rejects.
   */
  async run(
    job: Job,
    attempt: (signal: AbortSignal) => Promise<End | undefined>,
    recorded?: Promise<unknown>,
  ): Promise<Outcome<Job, End>> {
    // Its lease ran out before its first attempt began, and it was taken over right here.
    if (this.#underWay.has(job.id)) return this.#outcome(job, undefined);
    const entry: UnderWay = { stopped: new AbortController(), isRecorded: recorded === undefined };
    const { signal } = entry.stopped;
    this.#underWay.set(job.id, entry);
    recorded?.then(
      () => Object.assign(entry, { isRecorded: true }),
      () => undefined,
    );
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await this.#outcome(job, await attempt(signal));
    } catch (error) {
      return signal.aborted ? await this.#outcome(job, undefined) : await this.#failed(job, error);
    } finally {
      this.#underWay.delete(job.id);
      // Handed on, so that nobody who comes now slips in before who waited.
      const next = this.#waiting.shift() ?? (() => (this.#free += 1));
      next();
    }
  }

  async #failed(job: Job, error: unknown): Promise<Outcome<Job, End>> {
    const { log, leases, giveUp } = this.#deps;
    const { id, attempts, requestId } = job;
    const level = error instanceof AppError ? 'warn' : 'error';
    log[level]({ err: error, job: id, attempts, request_id: requestId }, 'an attempt at a job failed');
    const why = error instanceof AppError ? error.message : 'something went wrong on our side';
    try {
      if (attempts >= MAX_ATTEMPTS) return await this.#outcome(job, await giveUp(job, why));
      await leases.release(id, retryInSeconds(attempts));
    } catch (cause) {
      log.warn(
        { err: cause, job: id },
        'a failed attempt could not be noted; the job is taken over when its lease ends',
      );
    }
    return { job, end: undefined };
  }

  /** A job that was not ours to end is shown as it stands: cancelled, taken over, or ended by a statement of ours whose answer was lost. */
  async #outcome(job: Job, end: End | undefined): Promise<Outcome<Job, End>> {
    if (end !== undefined) return { job: end.job, end };
    const found = await this.#deps.jobs.find(job.workspaceId, job.id).catch(() => undefined);
    return { job: found ?? job, end };
  }

  /** Waits a little for what is under way; the rest is taken over by another process. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const until = Date.now() + (this.#deps.closeWithinMs ?? 4_000);
    while (this.#underWay.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const { stopped } of this.#underWay.values())
      stopped.abort(new AppError('unavailable', 'the process is ending'));
  }
}
