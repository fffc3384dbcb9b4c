import { asList, asObject, asText, JobEnvelope, type PageRow } from '@tidemark/api';
import { type FirecrawlAnswer, type FirecrawlCall, type FirecrawlRoute, ok } from './firecrawl-call.ts';
import { STATUS_PAGE, toCancelAnswer, toErrorsAnswer, toStatusAnswer } from './job-answers.ts';
import { toBatchBody, toCrawlBody } from './job-requests.ts';

/** Answers of up to 1,000 rows that are read for a list of errors. */
const MAX_ERROR_PAGES = 50;

/** The routes of this service for one kind of job. */
interface Kind {
  readonly path: string;
  readonly read: string;
  readonly cancel: string;
  /** Query for rows with the fewest bodies, which `read` allows. */
  readonly rows: Readonly<Record<string, string>>;
}

const CRAWL: Kind = {
  path: '/crawl',
  read: 'getCrawl',
  cancel: 'cancelCrawl',
  rows: { limit: '1000', formats: 'none' },
};
const BATCH: Kind = {
  path: '/batch/scrape',
  read: 'getScrape',
  cancel: 'cancelScrape',
  rows: { limit: '100', formats: 'links' },
};

/** The client of v1 reads batches under the path of crawls. */
const kindOf = (kind: Kind, { id, version }: FirecrawlCall): Kind =>
  version === 'v1' && id.startsWith('job_') ? BATCH : kind;

/** The secret that signs the messages of a webhook is returned once. */
const secretOf = ({ webhookSecret }: JobEnvelope) => (webhookSecret === undefined ? {} : { webhookSecret });

async function startCrawl({ body, version, call, baseUrl, idempotencyKey }: FirecrawlCall): Promise<FirecrawlAnswer> {
  const sent = { body: toCrawlBody(body, version), idempotencyKey };
  const job = JobEnvelope.parse((await call('startCrawl', sent)).body);
  return ok({ success: true, id: job.id, url: `${baseUrl}/crawl/${job.id}`, ...secretOf(job) });
}

async function startBatch({ body, version, call, baseUrl, idempotencyKey }: FirecrawlCall): Promise<FirecrawlAnswer> {
  const sent = { body: toBatchBody(body, version), idempotencyKey };
  const job = JobEnvelope.parse((await call('startScrape', sent)).body);
  const { id, invalid } = job;
  const invalidURLs = invalid === undefined ? {} : { invalidURLs: invalid.map(({ url }) => url) };
  return ok({ success: true, id, url: `${baseUrl}/batch/scrape/${id}`, ...invalidURLs, ...secretOf(job) });
}

async function readStatus(request: FirecrawlCall, kind: Kind): Promise<FirecrawlAnswer> {
  const { id, cursor, version, baseUrl, call } = request;
  const { read, path } = kindOf(kind, request);
  const query = { cursor, limit: String(STATUS_PAGE) };
  const job = JobEnvelope.parse((await call(read, { params: { id }, query })).body);
  return ok(toStatusAnswer(job, { url: `${baseUrl}${path}/${id}`, version }));
}

/** Lists the errors of the pages that have ended so far. */
async function readErrors(request: FirecrawlCall, kind: Kind): Promise<FirecrawlAnswer> {
  const { id, call } = request;
  const { read, rows: query } = kindOf(kind, request);
  const rows: PageRow[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < MAX_ERROR_PAGES; page += 1) {
    const job: JobEnvelope = JobEnvelope.parse(
      (await call(read, { params: { id }, query: { ...query, cursor } })).body,
    );
    rows.push(...job.data);
    // A running job always has a cursor; behind the last page of now its list is empty.
    cursor = job.data.length === 0 ? null : job.cursor;
  }
  return ok(toErrorsAnswer(rows));
}

async function cancel(request: FirecrawlCall, kind: Kind): Promise<FirecrawlAnswer> {
  const { id, call } = request;
  return ok(toCancelAnswer(JobEnvelope.parse((await call(kindOf(kind, request).cancel, { params: { id } })).body)));
}

/** Lists crawls in progress, at most 100 of each state, without those that became projects. */
async function listActive({ call, workspaceId }: FirecrawlCall): Promise<FirecrawlAnswer> {
  const lists = await Promise.all(
    ['running', 'queued'].map((status) => call('listCrawls', { query: { status, limit: '100' } })),
  );
  const crawls = lists
    .flatMap(({ body }) => asList(asObject(body)['data']))
    .map(asObject)
    .filter(({ projectId }) => projectId === null)
    .map(({ id, url }) => ({ id: asText(id), teamId: workspaceId, url: asText(url), options: null }));
  return ok({ success: true, crawls });
}

const routesOf = (kind: Kind): FirecrawlRoute[] => [
  { method: 'get', path: `${kind.path}/:id/errors`, answer: (call) => readErrors(call, kind) },
  { method: 'get', path: `${kind.path}/:id`, answer: (call) => readStatus(call, kind) },
  { method: 'delete', path: `${kind.path}/:id`, answer: (call) => cancel(call, kind) },
];

/** Routes of crawls and batches. Literal paths come before paths with a parameter. */
export const jobRoutes = (): FirecrawlRoute[] => [
  { method: 'post', path: '/crawl', answer: startCrawl },
  { method: 'post', path: '/batch/scrape', answer: startBatch },
  { method: 'get', path: '/crawl/active', answer: listActive },
  ...routesOf(CRAWL),
  ...routesOf(BATCH),
];
