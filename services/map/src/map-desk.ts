import { type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { normalizeUrl } from '@tidemark/web-url';
import { isFinished, type Job, type MapOptions, NO_TOTALS } from './domain/job.ts';
import { siteKey } from './domain/scope.ts';
import type { Outcome } from './finish-job.ts';
import type { JobRunner } from './job-runner.ts';
import type { Mapped } from './map-site.ts';
import type { EarlierRequest, JobStore } from './store/job-store.ts';

const LOOK_EVERY_MS = 200;

export interface MapOrder {
  readonly url: string;
  readonly options: MapOptions;
  readonly waitMs: number;
  readonly requestId: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly trace: Readonly<Record<string, string>>;
}

export interface MapAnswer {
  readonly job: Job;
  /** What was found, where it was found here and now. */
  readonly mapped: Mapped | undefined;
  readonly replayed: boolean;
}

export interface MapDeskDeps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  /** Refuses an address nobody may fetch. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  readonly leaseFirst: (job: Job) => Promise<number>;
  readonly returnCredits: (job: Job) => void;
  readonly now: () => Date;
}

const after = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());

/** Starts a map and waits for it. The same idempotency key answers with what its first request made. */
export class MapDesk {
  readonly #deps: MapDeskDeps;

  constructor(deps: MapDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError credits_exhausted, conflict, validation, unavailable */
  async answer(caller: Caller, order: MapOrder): Promise<MapAnswer> {
    const { jobs } = this.#deps;
    const { idempotencyKey: key } = order;
    const earlier = key === '' ? undefined : await jobs.findEarlier(caller.workspaceId, key);
    if (earlier !== undefined) return this.#replay(caller, order, earlier);
    const begun = await this.#start(caller, order);
    if (begun !== undefined) return this.#answerFirst(begun, order);
    const made = await jobs.findEarlier(caller.workspaceId, key);
    if (made !== undefined) return this.#replay(caller, order, made);
    throw new AppError('unavailable', 'an earlier request with this key is being undone; try again', {
      retryAfterSeconds: 1,
    });
  }

  /** @returns undefined where the key belongs to an earlier request after all */
  async #start(caller: Caller, order: MapOrder): Promise<{ job: Job; outcome: Promise<Outcome> } | undefined> {
    const { jobs, runner, admit, leaseFirst, returnCredits, now } = this.#deps;
    const job = newJob(caller, order, now());
    await admit(job.url);
    if (!runner.hasRoom) {
      throw new AppError('unavailable', 'more maps are waiting than can be taken on; try again shortly', {
        retryAfterSeconds: 2,
      });
    }
    // Links of the front page are free, so a workspace without credits may have them.
    const isFree = order.options.sitemapMode === 'skip';
    if (!isFree && !job.options.forCrawl && (await leaseFirst(job)) === 0) {
      throw new AppError(
        'credits_exhausted',
        'a map costs 1 credit for each sitemap file read, and the workspace has none left that are not set aside for work in flight',
      );
    }
    const key = order.idempotencyKey;
    const idempotency = key === '' ? undefined : { key, requestHash: order.requestHash };
    if (await jobs.create({ job, trace: order.trace, idempotency })) return { job, outcome: runner.run(job) };
    if (!isFree) returnCredits(job);
    return undefined;
  }

  async #answerFirst(begun: { job: Job; outcome: Promise<Outcome> }, order: MapOrder): Promise<MapAnswer> {
    const { job, outcome } = begun;
    const result = await Promise.race([outcome, after(order.waitMs)]);
    if (result !== undefined && isFinished(result.job.status)) return { ...result, replayed: false };
    if (result !== undefined) {
      const settled = await this.#untilFinished(job, job.createdAt.getTime() + order.waitMs);
      if (settled !== undefined) return { job: settled, mapped: undefined, replayed: false };
    }
    if (order.idempotencyKey !== '') await this.#deps.jobs.markAnswered(job.id);
    return { job, mapped: undefined, replayed: false };
  }

  /** Looks at a job until it has ended or the time is up. */
  async #untilFinished({ workspaceId, id }: Job, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await this.#deps.jobs.find(workspaceId, id);
      if (job !== undefined && isFinished(job.status)) return job;
      if (this.#deps.now().getTime() >= untilMs) return undefined;
      await after(LOOK_EVERY_MS);
    }
  }

  /** What the first request with the key was answered, once it was. */
  async #replay(caller: Caller, order: MapOrder, earlier: EarlierRequest): Promise<MapAnswer> {
    if (earlier.requestHash !== order.requestHash) {
      throw new AppError(
        'conflict',
        'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
      );
    }
    const { jobs, now } = this.#deps;
    const untilMs = now().getTime() + order.waitMs;
    for (;;) {
      const first = await jobs.findEarlier(caller.workspaceId, order.idempotencyKey);
      const job = await jobs.find(caller.workspaceId, earlier.jobId);
      if (job === undefined) throw new AppError('not_found', 'the job this Idempotency-Key made is gone');
      if (first?.answered === 'running') return { job: asFirstAnswered(job), mapped: undefined, replayed: true };
      if (first?.answered === 'done' || isFinished(job.status)) return { job, mapped: undefined, replayed: true };
      if (now().getTime() >= untilMs) {
        await jobs.markAnswered(job.id);
        return { job: asFirstAnswered(job), mapped: undefined, replayed: true };
      }
      await after(LOOK_EVERY_MS);
    }
  }
}

const UNBEGUN = {
  status: 'running',
  credits: 0,
  done: 0,
  total: 0,
  error: undefined,
  stop: undefined,
  finishedAt: undefined,
  method: '',
  totals: NO_TOTALS,
  robots: undefined,
  rows: 0,
  rowBlobs: [],
} as const;

function newJob({ workspaceId }: Caller, { url: asked, options, requestId }: MapOrder, createdAt: Date): Job {
  const url = normalizeUrl(asked);
  const ids = { id: newId('job'), chargeId: newId('cap') };
  return {
    ...UNBEGUN,
    ...ids,
    workspaceId,
    url,
    site: siteKey(new URL(url)),
    options,
    requestId,
    attempts: 1,
    createdAt,
  };
}

/** The job as a first answer that left early showed it. */
const asFirstAnswered = (job: Job): Job => ({ ...job, ...UNBEGUN });
