import { type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { FirstAnswers, type IdempotencyKeys, type Started } from '@tidemark/jobs';
import { normalizeUrl } from '@tidemark/web-url';
import { isFinished, type Job, type MapOptions, NO_TOTALS } from './domain/job.ts';
import { siteKey } from './domain/scope.ts';
import type { Ended } from './finish-job.ts';
import type { JobRunner, RunJob } from './job-runner.ts';
import type { Mapped } from './map-site.ts';
import type { JobStore } from './store/job-store.ts';

export interface MapOrder {
  readonly url: string;
  readonly projectId: string;
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
  readonly keys: IdempotencyKeys;
  readonly runner: JobRunner;
  readonly run: RunJob;
  /** Refuses an address nobody may fetch. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  readonly leaseFirst: (job: Job) => Promise<number>;
  readonly returnCredits: (job: Job) => void;
  readonly now: () => Date;
}

/** Starts a map and waits for it. The same idempotency key answers with what its first request made. */
export class MapDesk {
  readonly #deps: MapDeskDeps;
  readonly #answers: FirstAnswers<Job, Ended>;

  constructor(deps: MapDeskDeps) {
    const { jobs, keys, now } = deps;
    this.#deps = deps;
    this.#answers = new FirstAnswers({
      jobs,
      keys,
      isFinished: ({ status }) => isFinished(status),
      asBegun: (job) => ({ ...job, ...UNBEGUN }),
      now,
    });
  }

  /** @throws AppError credits_exhausted, conflict, validation, unavailable */
  async answer(caller: Caller, order: MapOrder): Promise<MapAnswer> {
    const asked = { ...order, workspaceId: caller.workspaceId };
    const { job, end, replayed } = await this.#answers.answer(asked, () => this.#start(caller, order));
    return { job, mapped: end?.mapped, replayed };
  }

  /** @returns undefined where the key belongs to an earlier request after all */
  async #start(caller: Caller, order: MapOrder): Promise<Started<Job, Ended> | undefined> {
    const { jobs, runner, run, admit, leaseFirst, returnCredits, now } = this.#deps;
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
    if (await jobs.create({ job, trace: order.trace, idempotency })) return { job, outcome: run(job) };
    if (!isFree) returnCredits(job);
    return undefined;
  }
}

/** What a job shows that has only just begun, and what a first answer that left early showed of it. */
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

function newJob(
  { workspaceId }: Caller,
  { url: asked, projectId, options, requestId }: MapOrder,
  createdAt: Date,
): Job {
  const url = normalizeUrl(asked);
  const ids = { id: newId('job'), chargeId: newId('cap') };
  return {
    ...UNBEGUN,
    ...ids,
    workspaceId,
    url,
    site: siteKey(new URL(url)),
    projectId,
    options,
    requestId,
    attempts: 1,
    createdAt,
  };
}
