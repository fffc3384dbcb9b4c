import { crawlFieldOf, routes, toCrawlRun } from '@tidemark/api';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { comparisonOptions, FORMATS, rejectMasks, toRunConfig } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import type { z } from 'zod';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireCaller } from '../../middleware/authenticated.ts';
import { readLinkSet } from '../../queries/link-set.ts';
import { type CrawledPage, checkedCrawlId, isOver, RunReader, requireRun } from '../../queries/run-reader.ts';
import { requireDigestConnection } from '../../requests/checked-connection.ts';
import { requireLogin } from '../../requests/checked-login.ts';
import { ListCursors } from '../../requests/list-cursors.ts';
import { withPatternNames } from '../../requests/pattern-names.ts';
import { withSealedModel } from '../../requests/sealed-model.ts';
import { sentField, withWorkingScheme } from '../../requests/working-scheme.ts';
import { JobDestinations, toInitialSync } from '../../responses/destination-sync.ts';
import { type PageLinks, pageLinks, ROW_BODIES } from '../../responses/page-row.ts';
import { runFields, toCrawlEnvelope, toCrawlRow, toCrawlSummary } from '../../responses/run-envelope.ts';
import type { JobSource } from '../../streams/job-feed.ts';
import { JobFeeds } from '../../streams/job-feeds.ts';
import { streamJob } from '../../streams/stream-job.ts';
import { rowLines } from './row-lines.ts';

/** Maximum number of pages with bodies in one response. */
const MAX_WITH_BODIES = 100;
/** Memory of a stream of rows, bytes: a batch that is written, and the next one. A batch of large pages has up to 8 MB. */
const STREAM_BYTES = 6 * 1024 * 1024;
/** Pages in the response of a cancel, pause or resume: the default of GET /crawl/{id}. */
const FIRST_PAGES = 25;

export interface CrawlPeers {
  readonly scrape: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly export: Peer;
  readonly map: Peer;
}

function startEndpoint({ scrape, crawl, map, export: exports }: CrawlPeers, destinations: JobDestinations): Endpoint {
  return endpoint(routes.startCrawl, async ({ body, baseUrl, call, auth, requestId }, { sentBody, repetition }) => {
    const { idempotencyKey, bodyHash } = repetition;
    rejectMasks(body.config, ['config']);
    rejectMasks(body.scrapeOptions, ['scrapeOptions']);
    const destinationId = await destinations.check(body.destination, call);
    const { webhook } = body;
    const { scope, options: requested, config } = toCrawlRun(body);
    await requireLogin(scrape, requested.loginId, call);
    await requireDigestConnection(exports, config, call);
    const options = { ...(await withSealedModel(exports, requested, call)), ...comparisonOptions(config) };
    const request = {
      seed: await withWorkingScheme(map, { url: body.url, sent: sentField(sentBody, 'url') }, call),
      scope,
      options,
      trigger: 'crawl' as const,
      webhookUrl: webhook?.url,
      webhookEvents: [...(webhook?.events ?? [])],
      webhookMetadataJson: webhook?.metadata && JSON.stringify(webhook.metadata),
      idempotencyKey,
      requestHash: bodyHash,
      destinationId,
      ...toRunConfig(config),
    };
    const {
      run: started,
      webhookSecret,
      replayed,
    } = await withPatternNames(crawlFieldOf(body), () => crawl.call(Rpc.startRun, request, call));
    const run = asCreated(requireRun(started));
    const url = `${baseUrl}/crawl/${run.id}`;
    const pages = new ListCursors({ workspaceId: requireCaller(auth).workspaceId, path: `/crawl/${run.id}` });
    const nextPage = { next: url, cursor: pages.seal(0) };
    const envelope = { requestId: replayed ? run.requestId : requestId, nextPage };
    return {
      status: 202,
      body: {
        ...toCrawlEnvelope(run, [], envelope),
        ...toInitialSync(destinationId),
        ...(webhookSecret === undefined ? {} : { webhookSecret }),
      },
      headers: { location: url, 'x-service-credits': '0', ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
    };
  });
}

/** Returns a run in its initial state, so that a replayed request gets the first response. */
const asCreated = (run: Run): Run => ({
  ...run,
  status: 'queued',
  paused: false,
  done: 0,
  total: 0,
  queued: 0,
  creditsUsed: 0,
  counts: {},
  held: [],
  traps: [],
  stop: undefined,
  error: undefined,
  startedAt: undefined,
  finishedAt: undefined,
});

type PageQuery = z.output<(typeof routes.getCrawl)['query']>;

/** A request for a crawl with some of its pages. */
interface CrawlQuery {
  readonly query: PageQuery;
  readonly cursors: ListCursors;
  readonly baseUrl: string;
  readonly call: CallContext;
  readonly requestId: string;
  readonly destinations: JobDestinations;
}

/** Returns the envelope of a crawl with a page of its rows. */
async function crawlWithPages(
  reader: RunReader,
  run: Run,
  { query, cursors, baseUrl, call, requestId, destinations }: CrawlQuery,
): Promise<EndpointResponse<typeof routes.cancelCrawl>> {
  const formats = formatsOf(query, run);
  const limit = formats.length === 0 ? query.limit : Math.min(query.limit, MAX_WITH_BODIES);
  const slice = { after: cursors.openNumber(query.cursor), limit };
  const { pages, last, isMore } = await reader.pages(run, slice, [...formats, ...ROW_BODIES], call);
  const formatsQuery = query.formats === undefined ? '' : `&formats=${[query.formats].flat().join(',') || 'none'}`;
  const url = `${baseUrl}/crawl/${run.id}?limit=${query.limit}${formatsQuery}`;
  const rows = pages.map((each) => toCrawlRow(each, formats, linksOf(baseUrl, run.id)));
  const nextPage = cursors.nextPage(url, isMore ? last : undefined);
  const body = { ...toCrawlEnvelope(run, rows, { requestId, nextPage }), ...(await destinations.read(run, call)) };
  return { status: 200, body, headers: { 'x-service-credits': String(run.creditsUsed), vary: 'accept' } };
}

const formatsOf = ({ formats }: PageQuery, run: Run): readonly string[] =>
  typeof formats === 'string' ? [] : (formats ?? run.formats);

/** Returns all rows of a crawl after a cursor, as a stream of lines. */
async function crawlAsLines(
  reader: RunReader,
  run: Run,
  { query, cursors, baseUrl, call }: Pick<CrawlQuery, 'query' | 'cursors' | 'baseUrl' | 'call'>,
): Promise<EndpointResponse<typeof routes.getCrawl>> {
  const formats = formatsOf(query, run);
  const pages = reader.allPages(run, cursors.openNumber(query.cursor), [...formats, ...ROW_BODIES], call);
  const file = await rowLines(pages, { formats, links: linksOf(baseUrl, run.id), cursors });
  const headers = {
    'content-type': 'application/x-ndjson',
    'cache-control': 'private, no-store',
    'crawl-complete': String(isOver(run)),
    'x-service-credits': String(run.creditsUsed),
    vary: 'accept',
  };
  return { status: 200, headers, file };
}

function readEndpoint(reader: RunReader, destinations: JobDestinations): Endpoint {
  return endpoint(routes.getCrawl, async ({ params, ...request }, details) => {
    const run = await reader.find(params.id, request.call);
    if (details.prefersLines) {
      details.holdMemory(STREAM_BYTES);
      return crawlAsLines(reader, run, request);
    }
    return crawlWithPages(reader, run, { ...request, destinations });
  });
}

function listEndpoint(crawl: Peer): Endpoint {
  return endpoint(routes.listCrawls, async ({ query, baseUrl, call, requestId, cursors }) => {
    const { status, limit } = query;
    const cursor = cursors.openId('run', query.cursor);
    const request = { status, limit, cursor };
    const { runs, next } = await crawl.call(Rpc.listRuns, request, call);
    const filter = status === undefined ? '' : `&status=${status}`;
    const nextPage = cursors.nextPage(`${baseUrl}/crawl?limit=${limit}${filter}`, next);
    return {
      status: 200,
      body: { data: runs.map(toCrawlSummary), ...nextPage, creditsUsed: 0, request_id: requestId },
    };
  });
}

const linksOf = (baseUrl: string, id: string): PageLinks => pageLinks(baseUrl, id, 'crawl');

/** Returns a source of the state of a run for its event streams. */
const runSource = (reader: RunReader, id: string, call: CallContext): JobSource<Run, CrawledPage> => ({
  find: () => reader.find(id, call),
  async rows(run, after, limit) {
    const { pages, ...range } = await reader.pages(run, { after, limit }, ['head'], call);
    return { rows: pages.map((row) => ({ number: row.known.number, row })), ...range };
  },
  stateOf(run) {
    const { status, progress, creditsUsed, counts, paused, held } = runFields(run);
    return { status, progress, creditsUsed, counts, paused, held };
  },
  doneOf: ({ done }) => done,
  endOf: (run) => (isOver(run) ? { error: run.error ?? null, stop: run.stop ?? null } : undefined),
});

function pageEndpoints(reader: RunReader, crawl: Peer): Endpoint[] {
  const feeds = new JobFeeds<Run, CrawledPage>();
  return [
    endpoint(routes.getCrawlPage, async ({ params, query, baseUrl, call, requestId }) => {
      const run = await reader.find(params.id, call);
      const found = await reader.page(run, query.url, [...FORMATS, ...ROW_BODIES], call);
      const stored = FORMATS.filter((format) => found.page.row?.formats.includes(format) === true);
      const row = toCrawlRow(found, stored, linksOf(baseUrl, run.id));
      return { status: 200, body: { ...row, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.listCrawlLinks, async ({ params, query, baseUrl, call, cursors }) => {
      const { id } = await reader.find(params.id, call);
      const path = `${baseUrl}/crawl/${id}/links`;
      return { status: 200, body: await readLinkSet(crawl, { id, path, cursors, ...query }, call) };
    }),

    endpoint(routes.getCrawlScreenshot, async ({ params, query, call }) => {
      const { id } = await reader.find(params.id, call);
      return { status: 200, bytes: await reader.screenshot(id, query.page, call) };
    }),

    endpoint(routes.streamCrawl, async ({ params, baseUrl, call }, { lastEventId }) => {
      const { id } = await reader.find(params.id, call);
      const links = linksOf(baseUrl, id);
      const render = (page: CrawledPage) => toCrawlRow(page, [], links);
      const stream = { jobId: id, call, lastEventId, source: runSource(reader, id, call), render };
      return { status: 200, events: (signal) => streamJob(feeds, stream, signal) };
    }),
  ];
}

export function crawlEndpoints(peers: CrawlPeers): Endpoint[] {
  const { crawl, archive } = peers;
  const reader = new RunReader(crawl, archive);
  const destinations = new JobDestinations(peers.export);
  return [
    startEndpoint(peers, destinations),
    listEndpoint(crawl),
    readEndpoint(reader, destinations),
    ...pageEndpoints(reader, crawl),

    ...(
      [
        [routes.cancelCrawl, Rpc.cancelRun],
        [routes.pauseCrawl, Rpc.pauseRun],
        [routes.resumeCrawl, Rpc.resumeRun],
      ] as const
    ).map(([route, rpc]) =>
      endpoint(route, async ({ params, baseUrl, call, requestId, auth }) => {
        const { run } = await crawl.call(rpc, { id: checkedCrawlId(params.id) }, call);
        const cursors = new ListCursors({ workspaceId: requireCaller(auth).workspaceId, path: `/crawl/${params.id}` });
        const query = { cursor: '', limit: FIRST_PAGES };
        return crawlWithPages(reader, requireRun(run), { query, cursors, baseUrl, call, requestId, destinations });
      }),
    ),
  ];
}
