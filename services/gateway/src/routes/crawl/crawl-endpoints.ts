import { crawlFieldOf, FORMATS, routes, toCrawlRun } from '@tidemark/api';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { checkedNumber } from '../checked-number.ts';
import { refuseHiddenLogin } from '../logins/checked-login.ts';
import { namingPatterns } from '../named-patterns.ts';
import { refuseMasked } from '../projects/config-wish.ts';
import { watch } from '../scrape/job-events.ts';
import { type PageLinks, pageLinks } from '../scrape/page-row.ts';
import { readLinkSet } from './link-set.ts';
import { toCrawlEnvelope, toCrawlRow } from './run-envelope.ts';
import { checkedCrawlId, gotRun, isOver, RunReader } from './run-reader.ts';

/** Bodies are heavy: no more pages than this come with theirs at once. */
const MAX_WITH_BODIES = 100;

export interface CrawlPeers {
  readonly crawl: Peer;
  readonly archive: Peer;
}

function startEndpoint({ crawl }: CrawlPeers): Endpoint {
  return endpoint(routes.startCrawl, async ({ body, baseUrl, call, auth, requestId, idempotencyKey, bodyHash }) => {
    if (body.destination !== undefined) throw new AppError('not_found', 'there is no such destination');
    refuseMasked(body.config);
    const { webhook } = body;
    const { scope, options, config } = toCrawlRun(body);
    refuseHiddenLogin(options.loginId, auth.caller);
    const order = {
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
      configJson: JSON.stringify(config),
    };
    const {
      run: told,
      webhookSecret,
      replayed,
    } = await namingPatterns(crawlFieldOf(body), () => crawl.call(Rpc.startRun, order, call));
    const run = asTakenOn(gotRun(told));
    const url = `${baseUrl}/crawl/${run.id}`;
    const around = { requestId: replayed ? run.requestId : requestId, next: { url, cursor: '0' } };
    return {
      status: 202,
      body: {
        ...toCrawlEnvelope(run, [], around),
        ...(webhookSecret === '' ? {} : { webhookSecret }),
      },
      headers: { location: url, 'x-service-credits': '0', ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
    };
  });
}

/** As it was taken on, however far it is by now: a replay is answered the same. */
const asTakenOn = (run: Run): Run => ({
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
    const chosen = query.formats === undefined ? '' : `&formats=${[query.formats].flat().join(',') || 'none'}`;
    const url = `${baseUrl}/crawl/${run.id}?limit=${query.limit}&cursor=${last}${chosen}`;
    const rows = pages.map((each) => toCrawlRow(each, formats, linksOf(baseUrl, run.id)));
    return answer(run, rows, { requestId, next: isMore ? { url, cursor: String(last) } : undefined });
  });
}

const linksOf = (baseUrl: string, id: string): PageLinks => pageLinks(baseUrl, id, 'crawl');

function answer(
  run: Run,
  rows: Parameters<typeof toCrawlEnvelope>[1],
  around: Parameters<typeof toCrawlEnvelope>[2],
): Answer {
  return {
    status: 200,
    body: toCrawlEnvelope(run, rows, around),
    headers: { 'x-service-credits': String(run.creditsUsed) },
  };
}

function pageEndpoints(reader: RunReader, crawl: Peer): Endpoint[] {
  return [
    endpoint(routes.getCrawlPage, async ({ params, query, baseUrl, call, requestId }) => {
      const run = await reader.find(params.id, call);
      const found = await reader.page(run, query.url, [...FORMATS, 'head', 'fields'], call);
      const kept = FORMATS.filter((format) => found.page.row?.formats.includes(format) === true);
      const row = toCrawlRow(found, kept, linksOf(baseUrl, run.id));
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
      const watched = {
        async look(after: number, limit: number) {
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
      return { status: 200, events: (gone) => watch(watched, lastEventId, gone) };
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
      return answer(gotRun(run), [], { requestId });
    }),

    endpoint(routes.pauseCrawl, async ({ params, call, requestId }) => {
      const { run } = await crawl.call(Rpc.pauseRun, { id: checkedCrawlId(params.id) }, call);
      return answer(gotRun(run), [], { requestId });
    }),

    endpoint(routes.resumeCrawl, async ({ params, call, requestId }) => {
      const { run } = await crawl.call(Rpc.resumeRun, { id: checkedCrawlId(params.id) }, call);
      return answer(gotRun(run), [], { requestId });
    }),
  ];
}
