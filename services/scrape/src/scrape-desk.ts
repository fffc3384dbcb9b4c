import { type Caller, newId } from '@tidemark/contracts';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { normalizeUrl } from '@tidemark/web-url';
import { refuseMissingExits } from './domain/exit-wish.ts';
import { type CaptureOptions, isFinished, type Job, type JobKind } from './domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from './domain/ladder.ts';
import type { JobRunner, Outcome } from './job-runner.ts';
import type { CreditWish } from './lease-credits.ts';
import type { EarlierRequest, JobStore } from './store/job-store.ts';

const ROUTE = 'POST /scrape';
const LOOK_EVERY_MS = 200;

export interface ScrapeOrder {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly waitMs: number;
  readonly requestId: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly trace: Readonly<Record<string, string>>;
  readonly kind: Exclude<JobKind, 'batch'>;
}

export interface ScrapeAnswer {
  readonly job: Job;
  readonly page: Page | undefined;
  readonly replayed: boolean;
}

export interface ScrapeDeskDeps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean };
  /** Refuses an address nobody may fetch, before anything is set aside for it. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  readonly leaseCredits: (wish: CreditWish) => Promise<number>;
  /** Gives credits back that turned out not to be needed. */
  readonly returnCredits: (captureId: string, workspaceId: string) => void;
  readonly now: () => Date;
}

interface Started {
  readonly job: Job;
  readonly outcome: Promise<Outcome>;
}

const after = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());

/**
 * Starts a job for one URL and waits for its page. The same idempotency key answers with what its first request made; fifty at
 * once make one job.
 */
export class ScrapeDesk {
  readonly #deps: ScrapeDeskDeps;
  /** Requests whose job is being made right now, by idempotency key, so that twins wait for it instead of racing it. */
  readonly #making = new Map<string, Promise<Started | 'earlier'>>();

  constructor(deps: ScrapeDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError credits_exhausted, conflict, validation, unavailable */
  async answer(caller: Caller, order: ScrapeOrder): Promise<ScrapeAnswer> {
    if (order.idempotencyKey !== '') return this.#answerOnce(caller, order);
    const started = await this.#start(caller, order);
    if (started === 'earlier') throw new AppError('internal', 'a job without a key met an earlier one');
    return this.#answerFirst(started, order);
  }

  async #answerOnce(caller: Caller, order: ScrapeOrder): Promise<ScrapeAnswer> {
    const { jobs } = this.#deps;
    const name = `${caller.workspaceId} ${order.idempotencyKey}`;
    await this.#making.get(name)?.catch(() => undefined);
    const earlier = await jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
    if (earlier !== undefined) return this.#replay(caller, order, earlier);
    // Looked for again: a twin may have begun while the table was read.
    const isFirst = !this.#making.has(name);
    const begun = this.#making.get(name) ?? this.#start(caller, order);
    this.#making.set(name, begun);
    const started = await begun.finally(() => this.#making.delete(name));
    if (isFirst && started !== 'earlier') return this.#answerFirst(started, order);
    const made = await jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
    if (made !== undefined) return this.#replay(caller, order, made);
    throw new AppError('unavailable', 'an earlier request with this key is being undone; try again', {
      retryAfterSeconds: 1,
    });
  }

  async #start(caller: Caller, order: ScrapeOrder): Promise<Started | 'earlier'> {
    const { jobs, runner, returnCredits, now } = this.#deps;
    const job = newJob(caller, order, now());
    const granted = await this.#reserve(job);
    const key = order.idempotencyKey;
    const idempotency = key === '' ? undefined : { route: ROUTE, key, requestHash: order.requestHash };
    const recorded = jobs.create({ job, trace: order.trace, idempotency });
    if (idempotency === undefined) {
      const outcome = runner.run(job, granted, recorded);
      // The fetch need not wait for the row, but nobody may be told of a job that isn't written down.
      await recorded;
      return { job, outcome };
    }
    if (await recorded) return { job, outcome: runner.run(job, granted, recorded) };
    returnCredits(job.captureId, caller.workspaceId);
    return 'earlier';
  }

  /** Sets the job's credits aside, once it is clear that it may be taken on. @returns how many */
  async #reserve(job: Job): Promise<number> {
    const { ladder, exits, admit, runner, leaseCredits } = this.#deps;
    refuseMissingExits(job.options, exits);
    const { want, least } = creditsToLease(rungsFor(ladder, job.options, !exits.isEmpty), job.options.maxCredits);
    if (want < least) throw tooFewCredits(job.options, least);
    await admit(job.url);
    if (!runner.hasRoom) {
      throw new AppError('unavailable', 'more captures are waiting than can be taken on; try again shortly', {
        retryAfterSeconds: 2,
      });
    }
    const granted = await leaseCredits({ id: job.captureId, workspaceId: job.workspaceId, want, least });
    if (granted > 0) return granted;
    const price = `${least} credit${least === 1 ? '' : 's'}`;
    throw new AppError(
      'credits_exhausted',
      `this page costs at least ${price}, and the workspace has fewer left that are not set aside for work in flight`,
    );
  }

  async #answerFirst({ job, outcome }: Started, order: ScrapeOrder): Promise<ScrapeAnswer> {
    const result = await Promise.race([outcome, after(order.waitMs)]);
    if (result !== undefined && isFinished(result.job.status)) return { ...result, replayed: false };
    if (result !== undefined) {
      const settled = await this.#untilFinished(job.workspaceId, job.id, job.createdAt.getTime() + order.waitMs);
      if (settled !== undefined) return { job: settled, page: undefined, replayed: false };
    }
    if (order.idempotencyKey !== '') await this.#deps.jobs.markAnswered(job.id);
    return { job, page: undefined, replayed: false };
  }

  /** Looks at a job until it has ended or the time is up. */
  async #untilFinished(workspaceId: string, id: string, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await this.#deps.jobs.find(workspaceId, id);
      if (job !== undefined && isFinished(job.status)) return job;
      if (this.#deps.now().getTime() >= untilMs) return undefined;
      await after(LOOK_EVERY_MS);
    }
  }

  /** What the first request with the key was answered, once it was. */
  async #replay(caller: Caller, order: ScrapeOrder, earlier: EarlierRequest): Promise<ScrapeAnswer> {
    if (earlier.requestHash !== order.requestHash) {
      throw new AppError(
        'conflict',
        'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
      );
    }
    const { jobs, now } = this.#deps;
    const untilMs = now().getTime() + order.waitMs;
    for (;;) {
      const first = await jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
      const job = await jobs.find(caller.workspaceId, earlier.jobId);
      if (job === undefined) throw new AppError('not_found', 'the job this Idempotency-Key made is gone');
      if (first?.answered === 'running') return { job: asFirstAnswered(job), page: undefined, replayed: true };
      if (first?.answered === 'done' || isFinished(job.status)) return { job, page: undefined, replayed: true };
      if (now().getTime() >= untilMs) {
        await jobs.markAnswered(job.id);
        return { job: asFirstAnswered(job), page: undefined, replayed: true };
      }
      await after(LOOK_EVERY_MS);
    }
  }
}

function newJob(caller: Caller, order: ScrapeOrder, createdAt: Date): Job {
  return {
    id: newId('job'),
    workspaceId: caller.workspaceId,
    captureId: newId('cap'),
    kind: order.kind,
    status: 'running',
    url: normalizeUrl(order.url),
    options: order.options,
    requestId: order.requestId,
    attempts: 1,
    credits: 0,
    pages: 0,
    total: 1,
    error: undefined,
    createdAt,
    finishedAt: undefined,
  };
}

/** The job as a first answer that left early showed it. */
const asFirstAnswered = (job: Job): Job => ({
  ...job,
  status: 'running',
  credits: 0,
  pages: 0,
  error: undefined,
  finishedAt: undefined,
});

function tooFewCredits(options: CaptureOptions, least: number): AppError {
  const message = `maxCredits is ${options.maxCredits}, but the cheapest engine this request allows (render_js ${options.renderJs}) costs ${least}`;
  return new AppError('validation', message, {
    httpStatus: 400,
    detail: [{ loc: ['body', 'maxCredits'], msg: message, type: 'too_small' }],
  });
}
