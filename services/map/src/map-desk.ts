import { type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { FirstAnswers, type IdempotencyKeys, type Started } from '@tidemark/jobs';
import { normalizeUrl } from '@tidemark/web-url';
import { isFinished, type Job, type MapOptions, NO_TOTALS } from './domain/job.ts';
import { siteKey } from './domain/scope.ts';
import type { Ended } from './finish-job.ts';
import type { JobRunner, RunJob } from './job-runner.ts';
import type { Mapped } from './map-site.ts';
import type { JobStore, NewJob } from './store/job-store.ts';

/** How often it is tried to write a map, or to join the one of its project that is under way: that one may be ending. */
const WRITE_TRIES = 3;

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
    const { runner, run, admit, leaseFirst, returnCredits, now } = this.#deps;
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
    const written = await this.#write({ job, trace: order.trace, idempotency });
    if (written?.id === job.id) return { job, outcome: run(job) };
    if (!isFree) returnCredits(job);
    return written && { job: written, outcome: Promise.resolve({ job: written, end: undefined }) };
  }

  /**
   * Writes the job; where its project is being mapped, that map answers for this one too, so that the same tree is not read and paid for
   * twice. @returns undefined where the key belongs to an earlier request
   */
  async #write(order: NewJob): Promise<Job | undefined> {
    const { jobs } = this.#deps;
    for (let tries = 0; tries < WRITE_TRIES; tries += 1) {
      const made = await jobs.create(order);
      if (made === 'made') return order.job;
      if (made === 'key_taken') return undefined;
      const underWay = await jobs.join(order);
      if (underWay !== undefined) return underWay;
    }
    throw new AppError('unavailable', 'another map of this project is just ending; try again', {
      retryAfterSeconds: 1,
    });
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
