import { type Caller, newId } from '@tidemark/contracts';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { type CaptureOptions, isFinished, type Job } from './domain/job.ts';
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
}

export interface ScrapeAnswer {
  readonly job: Job;
  readonly page: Page | undefined;
  readonly replayed: boolean;
}

export interface StartScrapeDeps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  readonly ladder: readonly Rung[];
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
 * @throws AppError credits_exhausted, conflict, validation, unavailable
 */
export function makeStartScrape(deps: StartScrapeDeps) {
  /** Requests whose job is being made right now, by idempotency key, so that twins wait for it instead of racing it. */
  const making = new Map<string, Promise<Started | 'earlier'>>();

  async function start(caller: Caller, order: ScrapeOrder): Promise<Started | 'earlier'> {
    const rungs = rungsFor(deps.ladder, order.options);
    const { want, least } = creditsToLease(rungs, order.options.maxCredits);
    if (want < least) throw tooFewCredits(order.options, least);
    await deps.admit(order.url);
    if (!deps.runner.hasRoom)
      throw new AppError('unavailable', 'more captures are waiting than can be taken on; try again shortly', {
        retryAfterSeconds: 2,
      });

    const job = newJob(caller, order, deps.now());
    const granted = await deps.leaseCredits({ id: job.captureId, workspaceId: caller.workspaceId, want, least });
    if (granted === 0)
      throw new AppError(
        'credits_exhausted',
        `this page costs at least ${least} credit${least === 1 ? '' : 's'}, and the workspace has fewer left that are not set aside for work in flight`,
      );

    const idempotency =
      order.idempotencyKey === ''
        ? undefined
        : { route: ROUTE, key: order.idempotencyKey, requestHash: order.requestHash };
    const recorded = deps.jobs.create({ job, trace: order.trace, idempotency });
    if (idempotency === undefined) {
      const outcome = deps.runner.run(job, granted, recorded);
      // The fetch need not wait for the row, but nobody may be told of a job that isn't written down.
      await recorded;
      return { job, outcome };
    }
    if (!(await recorded)) {
      deps.returnCredits(job.captureId, caller.workspaceId);
      return 'earlier';
    }
    return { job, outcome: deps.runner.run(job, granted, recorded) };
  }

  async function answerFirst({ job, outcome }: Started, order: ScrapeOrder): Promise<ScrapeAnswer> {
    const result = await Promise.race([outcome, after(order.waitMs)]);
    if (result !== undefined && isFinished(result.job.status)) return { ...result, replayed: false };
    if (result !== undefined) {
      const settled = await untilFinished(job.workspaceId, job.id, job.createdAt.getTime() + order.waitMs);
      if (settled !== undefined) return { job: settled, page: undefined, replayed: false };
    }
    if (order.idempotencyKey !== '') await deps.jobs.markAnswered(job.id);
    return { job, page: undefined, replayed: false };
  }

  /** Looks at a job until it has ended or the time is up. */
  async function untilFinished(workspaceId: string, id: string, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await deps.jobs.find(workspaceId, id);
      if (job !== undefined && isFinished(job.status)) return job;
      if (deps.now().getTime() >= untilMs) return undefined;
      await after(LOOK_EVERY_MS);
    }
  }

  /** What the first request with the key was answered, once it was. */
  async function replay(caller: Caller, order: ScrapeOrder, earlier: EarlierRequest): Promise<ScrapeAnswer> {
    if (earlier.requestHash !== order.requestHash) {
      throw new AppError(
        'conflict',
        'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
      );
    }
    const untilMs = deps.now().getTime() + order.waitMs;
    for (;;) {
      const now = await deps.jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
      const job = await deps.jobs.find(caller.workspaceId, earlier.jobId);
      if (job === undefined) throw new AppError('not_found', 'the job this Idempotency-Key made is gone');
      if (now?.answered === 'running') return { job: asFirstAnswered(job), page: undefined, replayed: true };
      if (now?.answered === 'done' || isFinished(job.status)) return { job, page: undefined, replayed: true };
      if (deps.now().getTime() >= untilMs) {
        await deps.jobs.markAnswered(job.id);
        return { job: asFirstAnswered(job), page: undefined, replayed: true };
      }
      await after(LOOK_EVERY_MS);
    }
  }

  return async (caller: Caller, order: ScrapeOrder): Promise<ScrapeAnswer> => {
    if (order.idempotencyKey === '') {
      const started = await start(caller, order);
      if (started === 'earlier') throw new AppError('internal', 'a job without a key met an earlier one');
      return answerFirst(started, order);
    }
    const name = `${caller.workspaceId} ${order.idempotencyKey}`;
    const twin = making.get(name);
    if (twin !== undefined) await twin.catch(() => undefined);
    const earlier = await deps.jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
    if (earlier !== undefined) return replay(caller, order, earlier);
    // Looked for again: a twin may have begun while the table was read.
    const begun = making.get(name) ?? start(caller, order);
    const first = !making.has(name);
    making.set(name, begun);
    const started = await begun.finally(() => making.delete(name));
    if (first && started !== 'earlier') return answerFirst(started, order);
    const made = await deps.jobs.findEarlier(caller.workspaceId, ROUTE, order.idempotencyKey);
    if (made === undefined)
      throw new AppError('unavailable', 'an earlier request with this key is being undone; try again', {
        retryAfterSeconds: 1,
      });
    return replay(caller, order, made);
  };
}

function newJob(caller: Caller, order: ScrapeOrder, createdAt: Date): Job {
  return {
    id: newId('job'),
    workspaceId: caller.workspaceId,
    captureId: newId('cap'),
    status: 'running',
    url: order.url,
    options: order.options,
    requestId: order.requestId,
    attempts: 1,
    credits: 0,
    pages: 0,
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
