import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import { type AttemptPolicy, afterFailure } from '@tidemark/leased-work';
import { FairQueue, type Logger, memoryGuard } from '@tidemark/service';
import type { AnyJob } from './any-job.ts';
import type { JobLeases } from './job-leases.ts';

/** The job after an attempt, and its end if this attempt ended it. The job is still running if it will be retried. */
export interface AttemptResult<Job, End> {
  readonly job: Job;
  readonly end: End | undefined;
}

export interface AttemptRunnerDeps<Job, End> {
  readonly jobs: { find(workspaceId: string, id: string): Promise<Job | undefined> };
  readonly leases: Pick<JobLeases, 'retry' | 'postpone'>;
  /** When a failed attempt is repeated. */
  readonly policy: AttemptPolicy;
  /** Ends a job after its last attempt failed. @returns undefined if this instance no longer holds its lease */
  readonly failJob: (job: Job, reason: string) => Promise<End | undefined>;
  readonly log: Logger;
  /** Maximum number of concurrent attempts; further attempts are queued. */
  readonly maxRunning: number;
  /** Queue length at which `hasCapacityFor` is false. */
  readonly maxQueued: number;
  /** Time that running attempts get to end when the process shuts down, ms. */
  readonly closeTimeoutMs?: number;
}

/** One further slot for each of so many is reserved for workspaces without a running attempt. */
const RESERVED_SHARE = 8;

interface RunningAttempt {
  readonly controller: AbortController;
  isCommitted: boolean;
}

const leaseLost = () => new AppError('conflict', 'the job was cancelled or reassigned to another instance');

/** Runs attempts at jobs in this process: limits their number, runs one per job, and stops those that are cancelled or reassigned. */
export class AttemptRunner<Job extends AnyJob, End extends { readonly job: Job }> {
  readonly #deps: AttemptRunnerDeps<Job, End>;
  readonly #running = new Map<string, RunningAttempt>();
  readonly #slots: FairQueue;
  #isClosing = false;

  constructor(deps: AttemptRunnerDeps<Job, End>) {
    this.#deps = deps;
    this.#slots = new FairQueue({
      capacity: deps.maxRunning,
      reserved: Math.ceil(deps.maxRunning / RESERVED_SHARE),
      // Jobs that are accepted are never refused here: `hasCapacityFor` refuses them before they are stored.
      maxWaiting: Number.POSITIVE_INFINITY,
      slots: 'job slots',
    });
  }

  /** Returns the attempts whose job row is committed. Their leases must be renewed; an attempt whose lease is lost must be stopped. */
  committed(): { readonly id: string; readonly stop: () => void }[] {
    return [...this.#running]
      .filter(([, { isCommitted }]) => isCommitted)
      .map(([id, { controller }]) => ({ id, stop: () => controller.abort(leaseLost()) }));
  }

  /** Ids of the jobs with an attempt in this process, including queued attempts and those that are being stopped. */
  get runningJobIds(): string[] {
    return [...this.#running.keys()];
  }

  get freeSlots(): number {
    return this.#isClosing || memoryGuard.isFull ? 0 : this.#slots.free;
  }

  /** Number of queued attempts. */
  get queued(): number {
    return this.#slots.waiting;
  }

  /** True if another job of a workspace may be accepted. One workspace may fill half of the queue. */
  hasCapacityFor(workspaceId: string): boolean {
    const { maxQueued } = this.#deps;
    const isOverShare = this.#slots.waitingOf(workspaceId) >= Math.max(1, maxQueued / 2);
    return !this.#isClosing && !memoryGuard.isFull && this.#slots.waiting < maxQueued && !isOverShare;
  }

  /** Aborts the attempt at a job; a late result is discarded. */
  stop(jobId: string): void {
    this.#running.get(jobId)?.controller.abort(leaseLost());
  }

  /**
   * Runs one attempt at a job whose lease this instance holds, as soon as a slot is free. `attempt` ends the job and returns the end, or
   * undefined if the lease was lost. `committed` resolves when the job's row is committed; default: it is. Never rejects.
   */
  async run(
    job: Job,
    attempt: (signal: AbortSignal) => Promise<End | undefined>,
    committed?: Promise<unknown>,
  ): Promise<AttemptResult<Job, End>> {
    // The lease expired while the first attempt was queued, and this same process claimed the job again.
    if (this.#running.has(job.id)) return this.#toResult(job, undefined);
    const entry: RunningAttempt = { controller: new AbortController(), isCommitted: committed === undefined };
    const { signal } = entry.controller;
    this.#running.set(job.id, entry);
    committed?.then(
      () => Object.assign(entry, { isCommitted: true }),
      () => undefined,
    );
    let release = () => {};
    try {
      release = await this.#slots.acquire(job.workspaceId, signal);
      signal.throwIfAborted();
      return await this.#toResult(job, await attempt(signal));
    } catch (error) {
      return signal.aborted ? await this.#toResult(job, undefined) : await this.#handleFailure(job, error);
    } finally {
      this.#running.delete(job.id);
      release();
    }
  }

  async #handleFailure(job: Job, error: unknown): Promise<AttemptResult<Job, End>> {
    const { log, leases, policy, failJob } = this.#deps;
    const { id, attempts, requestId } = job;
    const level = error instanceof AppError ? 'warn' : 'error';
    log[level]({ err: error, job: id, attempts, request_id: requestId }, 'job attempt failed');
    const reason = error instanceof AppError ? error.message : 'internal error';
    try {
      const after = afterFailure(policy, attempts);
      if (after.next === 'give_up') return await this.#toResult(job, await failJob(job, reason));
      await leases.retry(id, after.inSeconds);
    } catch (cause) {
      log.warn(
        { err: cause, job: id },
        'failed job attempt could not be recorded; the job is reassigned when its lease expires',
      );
    }
    return { job, end: undefined };
  }

  async #handOver(id: string): Promise<void> {
    const { leases, log } = this.#deps;
    await leases.postpone(id, 0).catch((error: unknown) => {
      log.warn({ err: error, job: id }, 'job could not be released; it is reassigned when its lease expires');
    });
  }

  /** Reads the job again if this attempt did not end it: it was cancelled, reassigned, or ended by a statement whose response was lost. */
  async #toResult(job: Job, end: End | undefined): Promise<AttemptResult<Job, End>> {
    if (end !== undefined) return { job: end.job, end };
    const found = await this.#deps.jobs.find(job.workspaceId, job.id).catch(() => undefined);
    return { job: found ?? job, end };
  }

  /**
   * Waits for running attempts up to `closeTimeoutMs`, then aborts them and releases their jobs, so that another instance starts them at once.
   * The aborted attempts do not count: a job that outlasts several restarts is no poison job.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    const until = Date.now() + (this.#deps.closeTimeoutMs ?? 4_000);
    while (this.#running.size > 0 && Date.now() < until) await sleep(50);
    const aborted = [...this.#running];
    for (const [, { controller }] of aborted)
      controller.abort(new AppError('unavailable', 'the service is shutting down'));
    await Promise.all(aborted.map(([id]) => this.#handOver(id)));
  }
}
