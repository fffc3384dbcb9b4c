import { actorOf, type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import {
  type CreditGrant,
  creditsRefused,
  type Idempotency,
  type IdempotencyKeys,
  type JobAttempts,
  JobResponder,
  type JobResponse,
  type StartedJob,
} from '@tidemark/jobs';
import { normalizeUrl } from '@tidemark/web-url';
import { isFinished, type MapJob, type MapOptions, NO_TOTALS } from '../domain/job.ts';
import { siteKey } from '../domain/scope.ts';
import type { MapResult } from '../site/map-site.ts';
import type { JobStore, NewJob } from '../store/job-store.ts';
import type { FinishedMap } from './finish-map.ts';
import type { RunMap } from './run-map.ts';

/** Attempts to create a job or to join the project's running map, which may end in between. */
const MAX_CREATE_ATTEMPTS = 3;

export interface MapRequest {
  readonly url: string;
  readonly projectId: string;
  readonly options: MapOptions;
  readonly waitMs: number;
  readonly requestId: string;
  readonly idempotency: Idempotency | undefined;
  readonly trace: Readonly<Record<string, string>>;
}

export interface MapResponse {
  readonly job: MapJob;
  /** Undefined unless this process finished the job for this request. */
  readonly result: MapResult | undefined;
  /** True if the response belongs to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

export interface StartMapDeps {
  readonly jobs: JobStore;
  readonly keys: IdempotencyKeys;
  readonly attempts: Pick<JobAttempts, 'hasCapacityFor'>;
  readonly runMap: RunMap;
  /** Refuses a URL that may not be fetched. @throws AppError validation */
  readonly admit: (url: string) => Promise<void>;
  /** Takes the first lease of a job. */
  readonly leaseFirst: (job: MapJob) => Promise<CreditGrant>;
  readonly releaseCredits: (job: MapJob) => void;
  readonly now: () => Date;
}

/**
 * Starts a map and waits up to `waitMs` for its end. A repeated idempotency key returns the response of its first request.
 * @throws AppError credits_exhausted, conflict, validation, unavailable
 */
export type StartMap = (caller: Caller, request: MapRequest) => Promise<MapResponse>;

export function makeStartMap(deps: StartMapDeps): StartMap {
  const responder = new JobResponder<MapJob, FinishedMap>({
    jobs: deps.jobs,
    keys: deps.keys,
    isFinished: ({ status }) => isFinished(status),
    toInitialState: (job) => ({ ...job, ...INITIAL_STATE }),
    now: deps.now,
  });
  return async (caller, request) => {
    const { idempotency, waitMs } = request;
    const waiting = { workspaceId: caller.workspaceId, idempotency, waitMs };
    const turn = await responder.begin(waiting);
    if (turn.kind === 'repeated') return toResponse(await responder.replay(waiting, turn.earlier));
    const started = await createMap(deps, newJob(caller, request, deps.now()), request).finally(turn.end);
    if (started === undefined) return toResponse(await responder.replay(waiting));
    return toResponse(await responder.respond(waiting, started));
  };
}

const toResponse = ({ job, end, replayed }: JobResponse<MapJob, FinishedMap>): MapResponse => ({
  job,
  result: end?.result,
  replayed,
});

/** Writes the job and starts its first attempt. @returns undefined if the idempotency key belongs to an earlier request */
async function createMap(
  { jobs, attempts, runMap, admit, leaseFirst, releaseCredits }: StartMapDeps,
  job: MapJob,
  { trace, idempotency }: Pick<MapRequest, 'trace' | 'idempotency'>,
): Promise<StartedJob<MapJob, FinishedMap> | undefined> {
  await admit(job.url);
  if (!attempts.hasCapacityFor(job.workspaceId))
    throw new AppError('unavailable', 'the queue of maps is full; try again shortly', { retryAfterSeconds: 2 });
  // A map of mode `skip` reads only the links of the front page, which are free.
  const isFree = job.options.sitemapMode === 'skip';
  if (!isFree && !job.options.forCrawl) {
    const grant = await leaseFirst(job);
    if (grant.granted === 0) throw creditsRefused(grant, 'each sitemap file that a map reads', 1);
  }
  const created = await createOrJoin(jobs, { job, trace, idempotency });
  if (created?.id === job.id) return { job, result: runMap(job) };
  if (!isFree) releaseCredits(job);
  return created && { job: created, result: Promise.resolve({ job: created, end: undefined }) };
}

/**
 * Creates the job. If a map of the same project is running, returns that job instead, so that the tree is read and charged once.
 * @returns undefined if the idempotency key belongs to an earlier request
 */
async function createOrJoin(jobs: JobStore, request: NewJob): Promise<MapJob | undefined> {
  for (let attempt = 0; attempt < MAX_CREATE_ATTEMPTS; attempt += 1) {
    const outcome = await jobs.create(request);
    if (outcome === 'created') return request.job;
    if (outcome === 'key_taken') return undefined;
    const running = await jobs.joinRunning(request);
    if (running !== undefined) return running;
  }
  throw new AppError('unavailable', 'another map of this project is ending; try again', { retryAfterSeconds: 1 });
}

/** State of a new job. Also shown by replays of a first response that was sent before the job ended. */
const INITIAL_STATE = {
  status: 'running',
  credits: 0,
  done: 0,
  total: 0,
  error: undefined,
  stop: undefined,
  finishedAt: undefined,
  method: undefined,
  totals: NO_TOTALS,
  robots: undefined,
  rows: 0,
  rowBlobs: [],
} as const;

function newJob(
  caller: Caller,
  { url: requestedUrl, projectId, options, requestId }: MapRequest,
  createdAt: Date,
): MapJob {
  const url = normalizeUrl(requestedUrl);
  return {
    ...INITIAL_STATE,
    id: newId('job'),
    chargeId: newId('cap'),
    workspaceId: caller.workspaceId,
    actorId: actorOf(caller),
    url,
    site: siteKey(new URL(url)),
    projectId,
    options,
    requestId,
    attempts: 1,
    createdAt,
  };
}
