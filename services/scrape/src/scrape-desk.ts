import { type Caller, newId } from '@tidemark/contracts';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { type CreditRequest, type IdempotencyKeys, JobResponder, type StartedJob } from '@tidemark/jobs';
import { normalizeUrl } from '@tidemark/web-url';
import { type CaptureOptions, isFinished, type Job, type JobKind } from './domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from './domain/ladder.ts';
import { requireExits } from './domain/require-exits.ts';
import type { JobRunner, Outcome, RunJob } from './job-runner.ts';
import type { JobStore } from './store/job-store.ts';

const ROUTE = 'POST /scrape';

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
  readonly keys: IdempotencyKeys;
  readonly runner: JobRunner;
  readonly run: RunJob;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean };
  /** Refuses an address nobody may fetch, before anything is set aside for it. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  /** Gives credits back that turned out not to be needed. */
  readonly returnCredits: (captureId: string, workspaceId: string) => void;
  readonly now: () => Date;
}

/** Starts a job for one URL and waits for its page. */
export class ScrapeDesk {
  readonly #deps: ScrapeDeskDeps;
  readonly #answers: JobResponder<Job, Outcome>;

  constructor(deps: ScrapeDeskDeps) {
    const { jobs, keys, now } = deps;
    this.#deps = deps;
    this.#answers = new JobResponder({
      jobs: {
        find: (workspaceId, id) => jobs.find(workspaceId, id),
        findEarlier: (workspaceId, key) => jobs.findEarlier(workspaceId, ROUTE, key),
      },
      keys,
      isFinished: ({ status }) => isFinished(status),
      toInitialState: (job) => ({ ...job, ...UNBEGUN }),
      now,
    });
  }

  /** @throws AppError credits_exhausted, conflict, validation, unavailable */
  async answer(caller: Caller, order: ScrapeOrder): Promise<ScrapeAnswer> {
    const asked = { ...order, workspaceId: caller.workspaceId };
    const { job, end, replayed } = await this.#answers.respond(asked, () => this.#start(caller, order));
    return { job, page: end?.page, replayed };
  }

  /** @returns undefined where the key belongs to an earlier request after all */
  async #start(caller: Caller, order: ScrapeOrder): Promise<StartedJob<Job, Outcome> | undefined> {
    const { jobs, run, returnCredits, now } = this.#deps;
    const job = newJob(caller, order, now());
    const granted = await this.#reserve(job);
    const key = order.idempotencyKey;
    const idempotency = key === '' ? undefined : { route: ROUTE, key, requestHash: order.requestHash };
    const recorded = jobs.create({ job, trace: order.trace, idempotency });
    if (idempotency === undefined) {
      const outcome = run(job, granted, recorded);
      // The fetch need not wait for the row, but nobody may be told of a job that isn't written down.
      await recorded;
      return { job, result: outcome };
    }
    if (await recorded) return { job, result: run(job, granted, recorded) };
    returnCredits(job.captureId, caller.workspaceId);
    return undefined;
  }

  /** Sets the job's credits aside, once it is clear that it may be taken on. @returns how many */
  async #reserve(job: Job): Promise<number> {
    const { ladder, exits, admit, runner, leaseCredits } = this.#deps;
    requireExits(job.options, exits);
    const { maxCredits, minCredits } = creditsToLease(
      rungsFor(ladder, job.options, !exits.isEmpty),
      job.options.maxCredits,
    );
    if (maxCredits < minCredits) throw tooFewCredits(job.options, minCredits);
    await admit(job.url);
    if (!runner.hasCapacity) {
      throw new AppError('unavailable', 'more captures are waiting than can be taken on; try again shortly', {
        retryAfterSeconds: 2,
      });
    }
    const granted = await leaseCredits({ id: job.captureId, workspaceId: job.workspaceId, maxCredits, minCredits });
    if (granted > 0) return granted;
    const price = `${minCredits} credit${minCredits === 1 ? '' : 's'}`;
    throw new AppError(
      'credits_exhausted',
      `this page costs at least ${price}, and the workspace has fewer left that are not set aside for work in flight`,
    );
  }
}

/** What a job shows that has only just begun, and what a first answer that left early showed of it. */
const UNBEGUN = { status: 'running', credits: 0, pages: 0, error: undefined, finishedAt: undefined } as const;

function newJob(caller: Caller, order: ScrapeOrder, createdAt: Date): Job {
  return {
    ...UNBEGUN,
    id: newId('job'),
    workspaceId: caller.workspaceId,
    captureId: newId('cap'),
    kind: order.kind,
    url: normalizeUrl(order.url),
    options: order.options,
    requestId: order.requestId,
    attempts: 1,
    total: 1,
    createdAt,
  };
}

function tooFewCredits(options: CaptureOptions, least: number): AppError {
  const message = `maxCredits is ${options.maxCredits}, but the cheapest engine this request allows (render_js ${options.renderJs}) costs ${least}`;
  return new AppError('validation', message, {
    httpStatus: 400,
    detail: [{ loc: ['body', 'maxCredits'], msg: message, type: 'too_small' }],
  });
}
