import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@tidemark/deadline';
import { AppError } from '@tidemark/errors';
import type { AnyJob } from './any-job.ts';
import type { AttemptResult } from './attempt-runner.ts';
import { type EarlierRequest, type IdempotencyKeys, requireSameBody } from './idempotency-keys.ts';

const POLL_INTERVAL_MS = 200;

/** A request that waits for a job. */
export interface WaitingRequest {
  readonly workspaceId: string;
  /** Empty: none. */
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly waitMs: number;
}

export interface StartedJob<Job, End> {
  readonly job: Job;
  readonly result: Promise<AttemptResult<Job, End>>;
}

export interface JobResponse<Job, End> extends AttemptResult<Job, End> {
  readonly replayed: boolean;
}

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

/**
 * Responds to requests that start a job and wait for it: with the finished job if it ends in time, else with the running job. A repeated
 * idempotency key returns the first response; concurrent requests with one key create one job.
 */
export class JobResponder<Job extends AnyJob, End> {
  readonly #deps: JobResponderDeps<Job>;
  /** Jobs that are being created in this process, by workspace and key, so that concurrent requests wait for one creation. */
  readonly #starting = new Map<string, Promise<StartedJob<Job, End> | undefined>>();

  constructor(deps: JobResponderDeps<Job>) {
    this.#deps = deps;
  }

  /**
   * `start` creates the job and starts its first attempt; it returns undefined if the key belongs to an earlier request.
   * @throws AppError conflict, unavailable, not_found, and the errors of `start`
   */
  async respond(
    request: WaitingRequest,
    start: () => Promise<StartedJob<Job, End> | undefined>,
  ): Promise<JobResponse<Job, End>> {
    const { workspaceId, idempotencyKey } = request;
    if (idempotencyKey === '') {
      const started = await start();
      if (started === undefined) throw new AppError('internal', 'a request without a key matched an earlier request');
      return this.#firstResponse(request, started);
    }
    const name = `${workspaceId} ${idempotencyKey}`;
    await this.#starting.get(name)?.catch(() => undefined);
    const earlier = await this.#deps.jobs.findEarlier(workspaceId, idempotencyKey);
    if (earlier !== undefined) return this.#replay(request, earlier);
    // Another request of this process may have started the job during the query.
    const concurrent = this.#starting.get(name);
    const starting = concurrent ?? start();
    this.#starting.set(name, starting);
    const started = await starting.finally(() => this.#starting.delete(name));
    if (concurrent === undefined && started !== undefined) return this.#firstResponse(request, started);
    const created = await this.#deps.jobs.findEarlier(workspaceId, idempotencyKey);
    if (created !== undefined) return this.#replay(request, created);
    const reason = 'an earlier request with this key is being rolled back; try again';
    throw new AppError('unavailable', reason, { retryAfterSeconds: 1 });
  }

  async #firstResponse(request: WaitingRequest, { job, result }: StartedJob<Job, End>): Promise<JobResponse<Job, End>> {
    const attempt = await within(result, request.waitMs, () => undefined);
    if (attempt !== undefined && this.#deps.isFinished(attempt.job)) return { ...attempt, replayed: false };
    // The attempt failed or the job was reassigned: another attempt may end the job in time.
    const finished = attempt && (await this.#pollUntilFinished(job, job.createdAt.getTime() + request.waitMs));
    if (finished !== undefined) return { job: finished, end: undefined, replayed: false };
    return {
      job: request.idempotencyKey === '' ? job : await this.#respondRunning(job),
      end: undefined,
      replayed: false,
    };
  }

  async #pollUntilFinished({ workspaceId, id }: Job, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await this.#deps.jobs.find(workspaceId, id);
      if (job !== undefined && this.#deps.isFinished(job)) return job;
      if (this.#deps.now().getTime() >= untilMs) return undefined;
      await sleep(POLL_INTERVAL_MS, undefined, { ref: false });
    }
  }

  /** Returns the response to the first request with the key; waits until that request has been answered. */
  async #replay(request: WaitingRequest, { jobId, requestHash }: EarlierRequest): Promise<JobResponse<Job, End>> {
    requireSameBody({ requestHash }, request.requestHash);
    const { jobs, isFinished, toInitialState, now } = this.#deps;
    const untilMs = now().getTime() + request.waitMs;
    for (;;) {
      const job = await jobs.find(request.workspaceId, jobId);
      if (job === undefined) throw new AppError('not_found', 'the job of this Idempotency-Key has been deleted');
      // Read after the job: once a job has ended, no first response shows it as running.
      const first = await jobs.findEarlier(request.workspaceId, request.idempotencyKey);
      if (first?.firstStatus === 'running') return { job: toInitialState(job), end: undefined, replayed: true };
      if (isFinished(job)) return { job, end: undefined, replayed: true };
      if (now().getTime() >= untilMs) return { job: await this.#respondRunning(job), end: undefined, replayed: true };
      await sleep(POLL_INTERVAL_MS, undefined, { ref: false });
    }
  }

  /** Records that the first response shows the job as running. @returns the job to show: finished, if it ended first */
  async #respondRunning(job: Job): Promise<Job> {
    if ((await this.#deps.keys.recordFirstResponse(job.id)) === 'running') return this.#deps.toInitialState(job);
    return (await this.#deps.jobs.find(job.workspaceId, job.id)) ?? job;
  }
}
