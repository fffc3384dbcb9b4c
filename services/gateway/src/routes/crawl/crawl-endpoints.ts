import { crawlFieldOf, FORMATS, rejectMasks, routes, toCrawlRun, toRunConfig } from '@tidemark/api';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { readLinkSet } from '../../queries/link-set.ts';
import { checkedCrawlId, isOver, RunReader, requireRun } from '../../queries/run-reader.ts';
import { refuseHiddenLogin } from '../../requests/checked-login.ts';
import { checkedNumber } from '../../requests/checked-number.ts';
import { withPatternNames } from '../../requests/pattern-names.ts';
import { type PageLinks, pageLinks } from '../../responses/page-row.ts';
import { toCrawlEnvelope, toCrawlRow } from '../../responses/run-envelope.ts';
import { streamJob } from '../../responses/stream-job.ts';

/** Maximum number of pages with bodies in one response. */
const MAX_WITH_BODIES = 100;

export interface CrawlPeers {
  readonly crawl: Peer;
  readonly archive: Peer;
}

function startEndpoint({ crawl }: CrawlPeers): Endpoint {
  return endpoint(routes.startCrawl, async ({ body, baseUrl, call, auth, requestId, idempotencyKey, bodyHash }) => {
    if (body.destination !== undefined) throw new AppError('not_found', 'destination not found');
    rejectMasks(body.config, ['config']);
    rejectMasks(body.scrapeOptions, ['scrapeOptions']);
    const { webhook } = body;
    const { scope, options, config } = toCrawlRun(body);
    refuseHiddenLogin(options.loginId, auth.caller);
    const request = {
      seed: body.url,
      scope,
      options,
      trigger: 'crawl',
      projectId: '',
      webhookUrl: webhook?.url ?? '',
      webhookEvents: [...(webhook?.events ?? [])],
      webhookMetadata: webhook?.metadata === undefined ? '' : JSON.stringify(webhook.metadata),
      idempotencyKey,
      requestHash: bodyHash,
      ...toRunConfig(config),
    };
    const {
      run: started,
      webhookSecret,
      replayed,
    } = await withPatternNames(crawlFieldOf(body), () => crawl.call(Rpc.startRun, request, call));
    const run = asCreated(requireRun(started));
    const url = `${baseUrl}/crawl/${run.id}`;
    const envelope = { requestId: replayed ? run.requestId : requestId, next: { url, cursor: '0' } };
    return {
      status: 202,
      body: {
        ...toCrawlEnvelope(run, [], envelope),
        ...(webhookSecret === '' ? {} : { webhookSecret }),
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

function readEndpoint(reader: RunReader): Endpoint {
  return endpoint(routes.getCrawl, async ({ params, query, baseUrl, call, requestId }) => {
    const run = await reader.find(params.id, call);
    const formats = typeof query.formats === 'string' ? [] : (query.formats ?? run.formats);
    const limit = formats.length === 0 ? query.limit : Math.min(query.limit, MAX_WITH_BODIES);
    const slice = { after: checkedNumber(query.cursor), limit };
    const { pages, last, isMore } = await reader.pages(run, slice, [...formats, 'head', 'fields'], call);
    const formatsQuery = query.formats === undefined ? '' : `&formats=${[query.formats].flat().join(',') || 'none'}`;
    const url = `${baseUrl}/crawl/${run.id}?limit=${query.limit}&cursor=${last}${formatsQuery}`;
    const rows = pages.map((each) => toCrawlRow(each, formats, linksOf(baseUrl, run.id)));
    return respond(run, rows, { requestId, next: isMore ? { url, cursor: String(last) } : undefined });
  });
}

const linksOf = (baseUrl: string, id: string): PageLinks => pageLinks(baseUrl, id, 'crawl');

function respond(
  run: Run,
  rows: Parameters<typeof toCrawlEnvelope>[1],
  envelope: Parameters<typeof toCrawlEnvelope>[2],
): EndpointResponse {
  return {
    status: 200,
    body: toCrawlEnvelope(run, rows, envelope),
    headers: { 'x-service-credits': String(run.creditsUsed) },
  };
}

function pageEndpoints(reader: RunReader, crawl: Peer): Endpoint[] {
  return [
    endpoint(routes.getCrawlPage, async ({ params, query, baseUrl, call, requestId }) => {
      const run = await reader.find(params.id, call);
      const found = await reader.page(run, query.url, [...FORMATS, 'head', 'fields'], call);
      const stored = FORMATS.filter((format) => found.page.row?.formats.includes(format) === true);
      const row = toCrawlRow(found, stored, linksOf(baseUrl, run.id));
      return { status: 200, body: { ...row, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.listCrawlLinks, async ({ params, query, baseUrl, call }) => {
      const { id } = await reader.find(params.id, call);
      const path = `${baseUrl}/crawl/${id}/links`;
      return { status: 200, body: await readLinkSet(crawl, { id, path, ...query }, call) };
    }),

    endpoint(routes.getCrawlScreenshot, async ({ params, query, call }) => {
      const { id } = await reader.find(params.id, call);
      return { status: 200, bytes: await reader.screenshot(id, query.page, call) };
    }),

    endpoint(routes.streamCrawl, async ({ params, baseUrl, call, lastEventId }) => {
      const run = await reader.find(params.id, call);
      const links = linksOf(baseUrl, run.id);
      const source = {
        async read(after: number, limit: number) {
          const now = await reader.find(run.id, call);
          const { pages, last, isMore } = await reader.pages(now, { after, limit }, ['head'], call);
          const { status, progress, creditsUsed, counts, error, stop, paused, held } = toCrawlEnvelope(now, [], {
            requestId: '',
          });
          return {
            rows: pages.map(({ page, known }) => ({
              number: known.number,
              row: toCrawlRow({ page, known }, [], links),
            })),
            last,
            state: { status, progress, creditsUsed, counts, paused, held },
            end: isOver(now) && !isMore ? { error, stop } : undefined,
          };
        },
      };
      return { status: 200, events: (signal) => streamJob(source, lastEventId, signal) };
    }),
  ];
}

export function crawlEndpoints(peers: CrawlPeers): Endpoint[] {
  const { crawl, archive } = peers;
  const reader = new RunReader(crawl, archive);
  return [
    startEndpoint(peers),
    readEndpoint(reader),
    ...pageEndpoints(reader, crawl),

    endpoint(routes.cancelCrawl, async ({ params, call, requestId }) => {
      const { run } = await crawl.call(Rpc.cancelRun, { id: checkedCrawlId(params.id) }, call);
      return respond(requireRun(run), [], { requestId });
    }),

    endpoint(routes.pauseCrawl, async ({ params, call, requestId }) => {
      const { run } = await crawl.call(Rpc.pauseRun, { id: checkedCrawlId(params.id) }, call);
      return respond(requireRun(run), [], { requestId });
    }),

    endpoint(routes.resumeCrawl, async ({ params, call, requestId }) => {
      const { run } = await crawl.call(Rpc.resumeRun, { id: checkedCrawlId(params.id) }, call);
      return respond(requireRun(run), [], { requestId });
    }),
  ];
}
