import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import { FairQueue, type Logger, memoryGuard } from '@tidemark/service';
import type { JobLeases } from './job-leases.ts';

export interface JobAttemptsOptions {
  readonly leases: Pick<JobLeases, 'postpone'>;
  readonly log: Logger;
  /** Maximum number of concurrent attempts; further attempts are queued. */
  readonly maxRunning: number;
  /** Queue length at which `hasCapacityFor` is false. */
  readonly maxQueued: number;
  /** Time that running attempts get to end when the process shuts down, ms. */
  readonly closeTimeoutMs?: number;
}

/** An attempt at a job. It ends when it is disposed. */
export interface JobAttempt extends Disposable {
  /** Aborted when the job is cancelled or reassigned; a late result is discarded. */
  readonly signal: AbortSignal;
  /** Waits for a slot, which the attempt holds until it ends. @throws the reason of `signal` */
  acquireSlot(): Promise<void>;
}

/** One further slot for each of so many is reserved for workspaces without a running attempt. */
const RESERVED_SHARE = 8;

interface OpenAttempt {
  readonly controller: AbortController;
  isCommitted: boolean;
}

const leaseLost = () => new AppError('conflict', 'the job was cancelled or reassigned to another instance');

/** The attempts at jobs in this process: limits their number, allows one per job, and stops those that are cancelled or reassigned. */
export class JobAttempts {
  readonly #leases: Pick<JobLeases, 'postpone'>;
  readonly #log: Logger;
  readonly #maxQueued: number;
  readonly #closeTimeoutMs: number;
  readonly #open = new Map<string, OpenAttempt>();
  readonly #slots: FairQueue;
  #isClosing = false;

  constructor({ leases, log, maxRunning, maxQueued, closeTimeoutMs = 4_000 }: JobAttemptsOptions) {
    this.#leases = leases;
    this.#log = log;
    this.#maxQueued = maxQueued;
    this.#closeTimeoutMs = closeTimeoutMs;
    this.#slots = new FairQueue({
      capacity: maxRunning,
      reserved: Math.ceil(maxRunning / RESERVED_SHARE),
      // Jobs that are accepted are never refused here: `hasCapacityFor` refuses them before they are stored.
      maxWaiting: Number.POSITIVE_INFINITY,
      slots: 'job slots',
    });
  }

  /** Returns the attempts whose job row is committed. Their leases must be renewed; an attempt whose lease is lost must be stopped. */
  committed(): { readonly id: string; readonly stop: () => void }[] {
    return [...this.#open]
      .filter(([, { isCommitted }]) => isCommitted)
      .map(([id, { controller }]) => ({ id, stop: () => controller.abort(leaseLost()) }));
  }

  /** Ids of the jobs with an attempt in this process, including queued attempts and those that are being stopped. */
  get runningJobIds(): string[] {
    return [...this.#open.keys()];
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
    const isOverShare = this.#slots.waitingOf(workspaceId) >= Math.max(1, this.#maxQueued / 2);
    return !this.#isClosing && !memoryGuard.isFull && this.#slots.waiting < this.#maxQueued && !isOverShare;
  }

  /** Aborts the attempt at a job; a late result is discarded. */
  stop(jobId: string): void {
    this.#open.get(jobId)?.controller.abort(leaseLost());
  }

  /**
   * Begins an attempt at a job whose lease this instance holds. `committed` resolves when the job's row is committed; default: it is.
   * @returns undefined if an attempt at the job has not ended: its lease expired while the attempt was queued, and this process claimed it again
   */
  begin(
    { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
    committed?: Promise<unknown>,
  ): JobAttempt | undefined {
    if (this.#open.has(id)) return undefined;
    const attempt: OpenAttempt = { controller: new AbortController(), isCommitted: committed === undefined };
    const { signal } = attempt.controller;
    this.#open.set(id, attempt);
    committed?.then(
      () => {
        attempt.isCommitted = true;
      },
      () => undefined,
    );
    let release = () => {};
    return {
      signal,
      acquireSlot: async () => {
        release = await this.#slots.acquire(workspaceId, signal);
        signal.throwIfAborted();
      },
      [Symbol.dispose]: () => {
        this.#open.delete(id);
        release();
      },
    };
  }

  async #handOver(id: string): Promise<void> {
    await this.#leases.postpone(id, 0).catch((error: unknown) => {
      this.#log.warn({ err: error, job: id }, 'job could not be released; it is reassigned when its lease expires');
    });
  }

  /**
   * Waits for running attempts up to `closeTimeoutMs`, then aborts them and releases their jobs, so that another instance starts them at once.
   * The aborted attempts do not count: a job that outlasts several restarts is no poison job.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    const until = Date.now() + this.#closeTimeoutMs;
    while (this.#open.size > 0 && Date.now() < until) await sleep(50);
    const aborted = [...this.#open];
    for (const [, { controller }] of aborted)
      controller.abort(new AppError('unavailable', 'the service is shutting down'));
    await Promise.all(aborted.map(([id]) => this.#handOver(id)));
  }
}
