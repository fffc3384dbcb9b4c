import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@tidemark/deadline';
import { AppError } from '@tidemark/errors';
import type { AnyJob } from './any-job.ts';
import type { AttemptResult } from './attempt-result.ts';
import { type EarlierRequest, type Idempotency, type IdempotencyKeys, requireSameBody } from './idempotency-keys.ts';

const POLL_INTERVAL_MS = 200;
/** Jobs of other requests of this process with the same key that a request waits for; each of them was refused. */
const MAX_TURNS = 3;

/** A request that waits for a job. */
export interface WaitingRequest {
  readonly workspaceId: string;
  readonly idempotency: Idempotency | undefined;
  readonly waitMs: number;
}

export interface StartedJob<Job, End> {
  readonly job: Job;
  readonly result: Promise<AttemptResult<Job, End>>;
}

export interface JobResponse<Job, End> extends AttemptResult<Job, End> {
  readonly replayed: boolean;
}

/** What a request does next: it creates its job and then calls `end`, or it repeats an earlier request. */
export type RequestTurn =
  | { readonly kind: 'first'; readonly end: () => void }
  | { readonly kind: 'repeated'; readonly earlier: EarlierRequest };

export interface JobResponderDeps<Job> {
  readonly jobs: {
    find(workspaceId: string, id: string): Promise<Job | undefined>;
    findEarlier(workspaceId: string, key: string): Promise<EarlierRequest | undefined>;
  };
  readonly keys: Pick<IdempotencyKeys, 'recordFirstResponse'>;
  readonly isFinished: (job: Job) => boolean;
  /** Returns the job as a response shows it that was sent before the job ended. */
  readonly toInitialState: (job: Job) => Job;
  readonly now: () => Date;
}

const FIRST_WITHOUT_KEY: RequestTurn = { kind: 'first', end: () => {} };

/**
 * Responds to requests that start a job and wait for it: with the finished job if it ends in time, else with the running job. A repeated
 * idempotency key returns the first response; concurrent requests with one key create one job.
 */
export class JobResponder<Job extends AnyJob, End> {
  readonly #deps: JobResponderDeps<Job>;
  /** Jobs that are being created in this process, by workspace and key, so that concurrent requests wait for one creation. */
  readonly #creating = new Map<string, Promise<void>>();

  constructor(deps: JobResponderDeps<Job>) {
    this.#deps = deps;
  }

  /**
   * Waits until no other request of this process creates a job with the same key. A request without a key is the first.
   * @throws AppError unavailable if other requests with the key are refused one after the other
   */
  async begin({ workspaceId, idempotency }: WaitingRequest): Promise<RequestTurn> {
    if (idempotency === undefined) return FIRST_WITHOUT_KEY;
    const name = `${workspaceId} ${idempotency.key}`;
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      await this.#creating.get(name);
      const earlier = await this.#deps.jobs.findEarlier(workspaceId, idempotency.key);
      if (earlier !== undefined) return { kind: 'repeated', earlier };
      // Another request of this process may have begun during the query.
      if (!this.#creating.has(name)) return { kind: 'first', end: this.#beginCreation(name) };
    }
    const reason = 'other requests with this key are being refused; try again';
    throw new AppError('unavailable', reason, { retryAfterSeconds: 1 });
  }

  #beginCreation(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#creating.set(name, promise);
    return () => {
      this.#creating.delete(name);
      resolve();
    };
  }

  /** Responds to the first request of a job: waits for its end. */
  async respond(request: WaitingRequest, { job, result }: StartedJob<Job, End>): Promise<JobResponse<Job, End>> {
    const attempt = await within(result, request.waitMs, () => undefined);
    if (attempt !== undefined && this.#deps.isFinished(attempt.job))
      return { job: attempt.job, end: attempt.end, replayed: false };
    // The attempt failed or the job was reassigned: another attempt may end the job in time.
    const finished = attempt && (await this.#pollUntilFinished(job, job.createdAt.getTime() + request.waitMs));
    if (finished !== undefined) return { job: finished, end: undefined, replayed: false };
    const shown = request.idempotency === undefined ? job : await this.#showRunning(job);
    return { job: shown, end: undefined, replayed: false };
  }

  async #pollUntilFinished({ workspaceId, id }: Job, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await this.#deps.jobs.find(workspaceId, id);
      if (job !== undefined && this.#deps.isFinished(job)) return job;
      if (this.#deps.now().getTime() >= untilMs) return undefined;
      await sleep(POLL_INTERVAL_MS, undefined, { ref: false });
    }
  }

  /**
   * Returns the response to the first request with the key of `request`; waits until that request has been answered. `earlier`: the first
   * request; default: it is read.
   * @throws AppError conflict if its body differs, not_found, unavailable
   */
  async replay(request: WaitingRequest, earlier?: EarlierRequest): Promise<JobResponse<Job, End>> {
    const { workspaceId, idempotency, waitMs } = request;
    if (idempotency === undefined) throw new AppError('internal', 'a request without a key repeats no other request');
    const { jobs, isFinished, toInitialState, now } = this.#deps;
    const { jobId, requestHash } = earlier ?? (await this.#requireEarlier(workspaceId, idempotency));
    requireSameBody({ requestHash }, idempotency.requestHash);
    const untilMs = now().getTime() + waitMs;
    for (;;) {
      const job = await jobs.find(workspaceId, jobId);
      if (job === undefined) throw new AppError('not_found', 'the job of this Idempotency-Key has been deleted');
      // Read after the job: once a job has ended, no first response shows it as running.
      const first = await jobs.findEarlier(workspaceId, idempotency.key);
      if (first?.firstStatus === 'running') return { job: toInitialState(job), end: undefined, replayed: true };
      if (isFinished(job)) return { job, end: undefined, replayed: true };
      if (now().getTime() >= untilMs) return { job: await this.#showRunning(job), end: undefined, replayed: true };
      await sleep(POLL_INTERVAL_MS, undefined, { ref: false });
    }
  }

  async #requireEarlier(workspaceId: string, { key }: Idempotency): Promise<EarlierRequest> {
    const earlier = await this.#deps.jobs.findEarlier(workspaceId, key);
    if (earlier !== undefined) return earlier;
    const reason = 'an earlier request with this key is being rolled back; try again';
    throw new AppError('unavailable', reason, { retryAfterSeconds: 1 });
  }

  /** Records that the first response shows the job as running. @returns the job to show: finished, if it ended first */
  async #showRunning(job: Job): Promise<Job> {
    if ((await this.#deps.keys.recordFirstResponse(job.id)) === 'running') return this.#deps.toInitialState(job);
    return (await this.#deps.jobs.find(job.workspaceId, job.id)) ?? job;
  }
}
