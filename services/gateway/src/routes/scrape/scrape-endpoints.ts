import { type DestinationSync, routes, toCaptureOptions } from '@tidemark/api';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { rejectMasks } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { GRACE_MS, isOver, JobReader, type ListedPage } from '../../queries/job-reader.ts';
import { requireLogin } from '../../requests/checked-login.ts';
import { withSealedModel } from '../../requests/sealed-model.ts';
import { sentField, withWorkingScheme } from '../../requests/working-scheme.ts';
import { JobDestinations } from '../../responses/destination-sync.ts';
import { type EnvelopeContext, toEnvelope, toSummary } from '../../responses/job-envelope.ts';
import { pageLinks, ROW_BODIES, toPageRow } from '../../responses/page-row.ts';
import type { JobSource } from '../../streams/job-feed.ts';
import { JobFeeds } from '../../streams/job-feeds.ts';
import { streamJob } from '../../streams/stream-job.ts';
import { checkScrapeRequest } from './check-request.ts';
import { startBatch } from './start-batch.ts';

const KINDS = ['scrape', 'batch'];
/** Maximum number of pages with bodies in one response. */
const MAX_WITH_BODIES = 100;

export interface ScrapePeers {
  readonly scrape: Peer;
  readonly archive: Peer;
  readonly export: Peer;
  readonly map: Peer;
}

interface Shown {
  readonly job: Job;
  readonly pages: readonly ListedPage[];
  /** Bodies to return; by default the formats of the job. */
  readonly formats?: readonly string[] | undefined;
  readonly sync?: { readonly destinationSync?: DestinationSync };
}

function render<Status extends 200 | 202>(
  status: Status,
  { job, pages, formats, sync = {} }: Shown,
  baseUrl: string,
  envelope: EnvelopeContext,
) {
  const rows = pages.map((page) => toPageRow(page, formats ?? job.formats, pageLinks(baseUrl, job.id)));
  return {
    status,
    body: { ...toEnvelope(job, rows, envelope), ...sync },
    headers: { 'x-service-credits': String(job.creditsUsed) },
  };
}

const isRunning = ({ status }: Job): boolean => status === 'running' || status === 'queued';

const startHeaders = (
  job: Job,
  { replayed, baseUrl }: { readonly replayed: boolean; readonly baseUrl: string },
): Readonly<Record<string, string>> => ({
  ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  ...(isRunning(job) ? { location: `${baseUrl}/scrape/${job.id}` } : {}),
});

function startEndpoint(
  { scrape, map, export: exports }: ScrapePeers,
  reader: JobReader,
  destinations: JobDestinations,
): Endpoint {
  return endpoint(routes.startScrape, async (request, { sentBody, repetition }) => {
    const { body, baseUrl, call, requestId } = request;
    const { idempotencyKey, bodyHash } = repetition;
    const { url: given, urls } = checkScrapeRequest(body);
    await requireLogin(scrape, body.config?.login_id, call);
    rejectMasks(body.config, ['config']);
    rejectMasks(body.scrapeOptions, ['scrapeOptions']);
    const destinationId = await destinations.check(body.destination, call);
    const options = await withSealedModel(exports, toCaptureOptions(body), call);
    if (urls !== undefined) return startBatch(scrape, request, { urls, destinationId, options, repetition });
    const waitMs = body.timeout * 1000;
    const url = await withWorkingScheme(map, { url: given, sent: sentField(sentBody, 'url') }, call);
    const capture = {
      url,
      options,
      waitMs,
      idempotencyKey,
      requestHash: bodyHash,
      kind: 'scrape' as const,
      destinationId,
    };
    const { job, page, replayed } = await scrape.call(Rpc.scrape, capture, call, { deadlineMs: waitMs + GRACE_MS });
    if (job === undefined) throw new AppError('internal', 'scrape returned no job');
    const bodies = [...job.formats, ...ROW_BODIES];
    const pages = page === undefined ? (await reader.pages(job, { after: 0, limit: 1 }, bodies, call)).pages : [page];
    const envelope = { requestId: replayed ? job.requestId : requestId };
    const sync = await destinations.write(job, call);
    const response = render(isRunning(job) ? 202 : 200, { job, pages, sync }, baseUrl, envelope);
    return { ...response, headers: { ...response.headers, ...startHeaders(job, { replayed, baseUrl }) } };
  });
}

function readEndpoint(reader: JobReader, destinations: JobDestinations): Endpoint {
  return endpoint(routes.getScrape, async ({ params, query, baseUrl, call, requestId, cursors }) => {
    const job = await reader.find(params.id, KINDS, call);
    const formats = query.formats ?? job.formats;
    const limit = Math.min(query.limit, MAX_WITH_BODIES);
    const inInputOrder = query.order === 'input';
    const slice = { after: cursors.openNumber(query.cursor), limit, inInputOrder };
    const { pages, last, isMore } = await reader.pages(job, slice, [...formats, ...ROW_BODIES], call);
    const formatsQuery = query.formats === undefined ? '' : `&formats=${query.formats.join(',')}`;
    const orderQuery = inInputOrder ? '&order=input' : '';
    const url = `${baseUrl}/scrape/${job.id}?limit=${query.limit}${formatsQuery}${orderQuery}`;
    const nextPage = cursors.nextPage(url, isMore ? last : undefined);
    const sync = await destinations.read(job, call);
    return render(200, { job, pages, formats, sync }, baseUrl, { requestId, nextPage });
  });
}

/** Returns a source of the state of a job for its event streams. */
const jobSource = (reader: JobReader, { id, kind }: Job, call: CallContext): JobSource<Job, ListedPage> => ({
  find: () => reader.find(id, [kind], call),
  async rows(job, after, limit) {
    const { pages, last, isMore } = await reader.pages(job, { after, limit }, ['head'], call);
    // A single scrape returns its only page for every range.
    const newPages = job.kind !== 'batch' && after > 0 ? [] : pages;
    return { rows: newPages.map((row, at) => ({ number: last - newPages.length + at + 1, row })), last, isMore };
  },
  stateOf(job) {
    const { status, progress, creditsUsed, counts } = toSummary(job);
    return { status, progress, creditsUsed, counts };
  },
  doneOf: ({ done }) => done,
  endOf: (job) => (isOver(job) ? { error: job.error ?? null } : undefined),
});

export function scrapeEndpoints(peers: ScrapePeers): Endpoint[] {
  const { scrape, archive } = peers;
  const reader = new JobReader(scrape, archive);
  const destinations = new JobDestinations(peers.export);
  const feeds = new JobFeeds<Job, ListedPage>();
  return [
    startEndpoint(peers, reader, destinations),
    readEndpoint(reader, destinations),

    endpoint(routes.listScrapes, async ({ query, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('job', query.cursor);
      const { jobs, nextCursor } = await scrape.call(Rpc.listJobs, { cursor, limit: query.limit }, call);
      const nextPage = cursors.nextPage(`${baseUrl}/scrape?limit=${query.limit}`, nextCursor);
      return {
        status: 200,
        body: { data: jobs.map(toSummary), ...nextPage, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.streamScrape, async ({ params, baseUrl, call }, { lastEventId }) => {
      const job = await reader.find(params.id, KINDS, call);
      const links = pageLinks(baseUrl, job.id);
      const render = (page: ListedPage) => toPageRow(page, [], links);
      const stream = { jobId: job.id, call, lastEventId, source: jobSource(reader, job, call), render };
      return { status: 200, events: (signal) => streamJob(feeds, stream, signal) };
    }),

    endpoint(routes.getScreenshot, async ({ params, query, call }) => {
      const job = await reader.find(params.id, KINDS, call);
      return { status: 200, bytes: await reader.attachment(job, query.page, 'screenshot', call) };
    }),

    endpoint(routes.cancelScrape, async ({ params, baseUrl, call, requestId }) => {
      const { id } = await reader.find(params.id, KINDS, call);
      const { job } = await scrape.call(Rpc.cancelJob, { id }, call);
      if (job === undefined) throw new AppError('internal', 'scrape returned no job');
      const bodies = [...job.formats, ...ROW_BODIES];
      const { pages } =
        job.kind === 'batch' ? { pages: [] } : await reader.pages(job, { after: 0, limit: 1 }, bodies, call);
      return render(200, { job, pages, sync: await destinations.read(job, call) }, baseUrl, { requestId });
    }),
  ];
}
