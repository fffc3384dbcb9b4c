import { asList, asObject, asText, JobEnvelope, type PageRow } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import { type FirecrawlCall, type FirecrawlResponse, type FirecrawlRoute, ok } from './firecrawl-call.ts';
import { type JobPrefix, toOwnId, toUuid } from './job-id.ts';
import { batchNames, crawlNames, toBatchBody, toCrawlBody } from './job-requests.ts';
import { STATUS_PAGE, toCancelResponse, toErrorsResponse, toStatusResponse } from './job-responses.ts';
import { withConnection } from './model-connection.ts';
import type { RouteId } from './rest-call.ts';

/** Responses of up to 1,000 rows that are read for a list of errors. */
const MAX_ERROR_PAGES = 50;

/** The routes of the REST interface for one kind of job. */
interface Kind {
  readonly path: string;
  readonly prefix: JobPrefix;
  readonly read: RouteId;
  readonly cancel: RouteId;
  /** Query for rows with the fewest bodies, which `read` allows. */
  readonly rows: Readonly<Record<string, string>>;
}

const CRAWL: Kind = {
  path: '/crawl',
  prefix: 'run',
  read: 'getCrawl',
  cancel: 'cancelCrawl',
  rows: { limit: '1000', formats: 'none' },
};
const BATCH: Kind = {
  path: '/batch/scrape',
  prefix: 'job',
  read: 'getScrape',
  cancel: 'cancelScrape',
  rows: { limit: '100', formats: 'links' },
};

/** A job of a request: its kind, and its id in this service. */
interface Job {
  readonly kind: Kind;
  readonly id: string;
}

/** Works on the job of a request. The client of v1 reads batches under the path of crawls. */
async function ofJob<T>({ id, version }: FirecrawlCall, kind: Kind, work: (job: Job) => Promise<T>): Promise<T> {
  const mayBeBatch = version === 'v1' && kind === CRAWL;
  const batch = { kind: BATCH, id: toOwnId(id, BATCH.prefix) };
  if (mayBeBatch && id.startsWith('job_')) return work(batch);
  try {
    return await work({ kind, id: toOwnId(id, kind.prefix) });
  } catch (error) {
    if (mayBeBatch && error instanceof AppError && error.code === 'not_found') return work(batch);
    throw error;
  }
}

/** The secret that signs the messages of a webhook is returned once. */
const secretOf = ({ webhookSecret }: JobEnvelope) => (webhookSecret === undefined ? {} : { webhookSecret });

async function startCrawl(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { body, version, call, baseUrl, idempotencyKey } = request;
  const sent = { body: await withConnection(request, toCrawlBody(body, version)), idempotencyKey };
  const job = JobEnvelope.parse((await call('startCrawl', sent)).body);
  const id = toUuid(job.id);
  return ok({ success: true, id, url: `${baseUrl}/crawl/${id}`, ...secretOf(job) });
}

async function startBatch(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { body, version, call, baseUrl, idempotencyKey } = request;
  const sent = { body: await withConnection(request, toBatchBody(body, version)), idempotencyKey };
  const job = JobEnvelope.parse((await call('startScrape', sent)).body);
  const { invalid } = job;
  const id = toUuid(job.id);
  const invalidURLs = invalid === undefined ? {} : { invalidURLs: invalid.map(({ url }) => url) };
  return ok({ success: true, id, url: `${baseUrl}/batch/scrape/${id}`, ...invalidURLs, ...secretOf(job) });
}

async function readStatus(request: FirecrawlCall, { kind, id }: Job): Promise<FirecrawlResponse> {
  const { cursor, version, baseUrl, call } = request;
  const query = { cursor, limit: String(STATUS_PAGE) };
  const job = JobEnvelope.parse((await call(kind.read, { params: { id }, query })).body);
  return ok(toStatusResponse(job, { url: `${baseUrl}${kind.path}/${toUuid(id)}`, version }));
}

/** Lists the errors of the pages that have ended so far. */
async function readErrors({ call }: FirecrawlCall, { kind, id }: Job): Promise<FirecrawlResponse> {
  const rows: PageRow[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < MAX_ERROR_PAGES; page += 1) {
    const query = { ...kind.rows, cursor };
    const job: JobEnvelope = JobEnvelope.parse((await call(kind.read, { params: { id }, query })).body);
    rows.push(...job.data);
    // A running job always has a cursor; behind the last page of now its list is empty.
    cursor = job.data.length === 0 ? null : job.cursor;
  }
  return ok(toErrorsResponse(rows));
}

async function cancel({ call }: FirecrawlCall, { kind, id }: Job): Promise<FirecrawlResponse> {
  return ok(toCancelResponse(JobEnvelope.parse((await call(kind.cancel, { params: { id } })).body)));
}

/** Lists crawls in progress, at most 100 of each state, without those that became projects. */
async function listActive({ call, workspaceId }: FirecrawlCall): Promise<FirecrawlResponse> {
  const lists = await Promise.all(
    ['running', 'queued'].map((status) => call('listCrawls', { query: { status, limit: '100' } })),
  );
  const crawls = lists
    .flatMap(({ body }) => asList(asObject(body)['data']))
    .map(asObject)
    .filter(({ projectId }) => projectId === null)
    .map(({ id, url }) => ({ id: toUuid(asText(id)), teamId: workspaceId, url: asText(url), options: null }));
  return ok({ success: true, crawls });
}

const routesOf = (kind: Kind): FirecrawlRoute[] => [
  {
    // The client of v1 reads the errors with this method.
    method: 'delete',
    path: `${kind.path}/:id/errors`,
    version: 'v1',
    respond: (call) => ofJob(call, kind, (job) => readErrors(call, job)),
  },
  {
    method: 'get',
    path: `${kind.path}/:id/errors`,
    respond: (call) => ofJob(call, kind, (job) => readErrors(call, job)),
  },
  {
    method: 'get',
    path: `${kind.path}/:id`,
    query: ['cursor'],
    respond: (call) => ofJob(call, kind, (job) => readStatus(call, job)),
  },
  {
    method: 'delete',
    path: `${kind.path}/:id`,
    respond: (call) => ofJob(call, kind, (job) => cancel(call, job)),
  },
];

/** Routes of crawls and batches. Literal paths come before paths with a parameter. */
export const jobRoutes = (): FirecrawlRoute[] => [
  { method: 'post', path: '/crawl', names: crawlNames, respond: startCrawl },
  { method: 'post', path: '/batch/scrape', names: batchNames, respond: startBatch },
  { method: 'get', path: '/crawl/active', respond: listActive },
  ...routesOf(CRAWL),
  ...routesOf(BATCH),
];
