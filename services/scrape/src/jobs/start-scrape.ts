import { actorOf, type Caller, newId, reachesWorkOf } from '@tidemark/contracts';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import {
  type CreditGrant,
  type CreditRequest,
  creditsRefused,
  type Idempotency,
  type IdempotencyKeys,
  type JobAttempts,
  JobResponder,
  type JobResponse,
  type StartedJob,
} from '@tidemark/jobs';
import { normalizeUrl } from '@tidemark/web-url';
import { type CaptureOptions, isFinished, type JobKind, type ScrapeJob } from '../domain/job.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import { requireExits } from '../domain/require-exits.ts';
import type { JobStore } from '../store/job-store.ts';
import type { JobResult, RunJob } from './run-job.ts';

const ROUTE = 'POST /scrape';

export interface ScrapeRequest {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly waitMs: number;
  readonly requestId: string;
  readonly idempotency: Idempotency | undefined;
  readonly trace: Readonly<Record<string, string>>;
  readonly kind: Exclude<JobKind, 'batch'>;
  /** The destination that the page is written to. */
  readonly destinationId?: string | undefined;
}

export interface ScrapeResult {
  readonly job: ScrapeJob;
  readonly page: Page | undefined;
  readonly replayed: boolean;
}

interface StartScrapeDeps {
  readonly jobs: JobStore;
  readonly keys: IdempotencyKeys;
  readonly attempts: Pick<JobAttempts, 'hasCapacityFor'>;
  readonly runJob: RunJob;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean };
  /** Rejects a URL that must not be fetched, before credits are leased. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  /** Seals the headers and cookies of options for storage. */
  readonly sealOptions: (options: CaptureOptions, workspaceId: string) => CaptureOptions;
  /** Returns leased credits that were not needed. */
  readonly returnCredits: (captureId: string, workspaceId: string) => void;
  readonly now: () => Date;
}

export type StartScrape = (caller: Caller, request: ScrapeRequest) => Promise<ScrapeResult>;

/**
 * Starts a job for one URL and waits for its page.
 * @throws AppError credits_exhausted, conflict, validation, unavailable
 */
export function makeStartScrape(deps: StartScrapeDeps): StartScrape {
  const { jobs, keys, now } = deps;
  const responder = new JobResponder<ScrapeJob, JobResult>({
    jobs: {
      find: (workspaceId, id) => jobs.find(workspaceId, id),
      findEarlier: (workspaceId, key) => jobs.findEarlier(workspaceId, ROUTE, key),
    },
    keys,
    isFinished: ({ status }) => isFinished(status),
    toInitialState: (job) => ({ ...job, ...INITIAL_STATE }),
    now,
  });
  return async (caller, request) => {
    const { idempotency, waitMs } = request;
    const waiting = { workspaceId: caller.workspaceId, idempotency, waitMs };
    const turn = await responder.begin(waiting);
    if (turn.kind === 'repeated') return ownResult(caller, await responder.replay(waiting, turn.earlier));
    const started = await createJob(deps, newJob(caller, request, now()), request).finally(turn.end);
    if (started === undefined) return ownResult(caller, await responder.replay(waiting));
    return toResult(await responder.respond(waiting, started));
  };
}

const toResult = ({ job, end, replayed }: JobResponse<ScrapeJob, JobResult>): ScrapeResult => ({
  job,
  page: end?.page,
  replayed,
});

/** Returns the response to a repeated request. @throws AppError conflict if the caller does not reach the job of the earlier one */
function ownResult(caller: Caller, response: JobResponse<ScrapeJob, JobResult>): ScrapeResult {
  if (reachesWorkOf(caller, response.job.actorId)) return toResult(response);
  throw new AppError('conflict', 'this Idempotency-Key was used by another API key of the workspace; use another one');
}

/** Writes the job and starts its first attempt. @returns undefined if the key belongs to an earlier request */
async function createJob(
  deps: StartScrapeDeps,
  job: ScrapeJob,
  request: Pick<ScrapeRequest, 'trace' | 'idempotency'>,
): Promise<StartedJob<ScrapeJob, JobResult> | undefined> {
  const { jobs, runJob, returnCredits, sealOptions } = deps;
  const granted = await reserveCredits(deps, job);
  const idempotency = request.idempotency && { route: ROUTE, ...request.idempotency };
  const stored = { ...job, options: sealOptions(job.options, job.workspaceId) };
  const recorded = jobs.create({ job: stored, trace: request.trace, idempotency });
  if (idempotency === undefined) {
    const result = runJob(job, granted, recorded);
    // The fetch runs beside the insert; the response waits for it, so that no client gets the id of a job that is not stored.
    await recorded;
    return { job, result };
  }
  if (await recorded) return { job, result: runJob(job, granted) };
  returnCredits(job.captureId, job.workspaceId);
  return undefined;
}

/** Validates the job and leases its credits. @returns the leased credits */
async function reserveCredits(deps: StartScrapeDeps, job: ScrapeJob): Promise<number> {
  const { ladder, exits, admit, attempts, lease } = deps;
  requireExits(job.options, exits);
  const { maxCredits, minCredits } = creditsToLease(
    rungsFor(ladder, job.options, !exits.isEmpty),
    job.options.maxCredits,
  );
  if (maxCredits < minCredits) throw tooFewCredits(job.options, minCredits);
  await admit(job.url);
  if (!attempts.hasCapacityFor(job.workspaceId)) {
    throw new AppError('unavailable', 'the capture queue is full; try again shortly', {
      retryAfterSeconds: 2,
    });
  }
  const { captureId: id, workspaceId, actorId } = job;
  const grant = await lease({ id, workspaceId, actorId, maxCredits, minCredits });
  if (grant.granted > 0) return grant.granted;
  throw creditsRefused(grant, 'this page', minCredits);
}

/** The state of a new job. A response that was sent before the job ended reported the same. */
const INITIAL_STATE = { status: 'running', credits: 0, pages: 0, error: undefined, finishedAt: undefined } as const;

function newJob(caller: Caller, request: ScrapeRequest, createdAt: Date): ScrapeJob {
  return {
    ...INITIAL_STATE,
    id: newId('job'),
    workspaceId: caller.workspaceId,
    actorId: actorOf(caller),
    captureId: newId('cap'),
    kind: request.kind,
    url: normalizeUrl(request.url),
    options: request.options,
    requestId: request.requestId,
    attempts: 1,
    total: 1,
    duplicates: 0,
    destinationId: request.destinationId,
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
