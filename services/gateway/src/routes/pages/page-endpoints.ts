import { FORMATS, routes, type StoredPage } from '@tidemark/api';
import { type PageVersion, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { checkedNumber } from '../checked-number.ts';
import { toCrawlRow } from '../crawl/run-envelope.ts';
import { RunReader } from '../crawl/run-reader.ts';
import { askedRun, mustRun } from '../runs/asked-run.ts';
import { pagesUrl } from '../runs/run-answer.ts';
import { timeOf } from '../scrape/job-envelope.ts';
import { gotPage, PageFinder, projectPageLinks, projectRunOf } from './page-finder.ts';

export interface PagePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
}

const BODIES = ['head', 'fields'];
const MAX_VERSIONS = 100;

export function pageEndpoints(peers: PagePeers): Endpoint[] {
  return [listEndpoint(peers), ...onePageEndpoints(peers)];
}

function listEndpoint({ projects, archive }: PagePeers): Endpoint {
  return endpoint(routes.listPages, async ({ params, query, baseUrl, call, requestId }) => {
    const { q, v = '', flag = '', limit } = query;
    const after = checkedNumber(query.cursor);
    const run = await askedRun(projects, { id: params.id, runId: query.run_id }, call);
    const around = { creditsUsed: 0, request_id: requestId };
    if (run === undefined)
      return { status: 200, body: { data: [], next: null, cursor: null, runId: null, total: 0, ...around } };
    const asked = { run: projectRunOf(run), q, verdict: v, flag, after, limit, bodies: BODIES };
    const { pages, last, isMore, total } = await archive.call(Rpc.queryPages, asked, call);
    const links = projectPageLinks(baseUrl, run);
    const data = pages.map((each) => toCrawlRow(gotPage(each), [], links));
    const chosen = Object.entries({ q, v, flag }).map(([name, value]) =>
      value === '' ? '' : `&${name}=${encodeURIComponent(value)}`,
    );
    const next = isMore ? `${pagesUrl(baseUrl, run)}&limit=${limit}${chosen.join('')}&cursor=${last}` : null;
    const cursor = isMore ? String(last) : null;
    return { status: 200, body: { data, next, cursor, runId: run.id, total: total ?? null, ...around } };
  });
}

const toVersion = (version: PageVersion): StoredPage['versions'][number] => ({
  runId: version.runId,
  pageId: version.pageId,
  crawledAt: timeOf(version.crawledAt),
  verdict: version.verdict,
  httpStatus: version.httpStatus || null,
  words: version.words,
  same: version.isSame,
});

function onePageEndpoints({ projects, crawl, archive }: PagePeers): Endpoint[] {
  const finder = new PageFinder(crawl, archive);
  const reader = new RunReader(crawl, archive);
  return [
    endpoint(routes.getPageContent, async ({ params, query, baseUrl, call, requestId }) => {
      const run = await mustRun(projects, { id: params.id, runId: query.run_id }, call);
      const wanted = { bodies: [...(query.format ?? FORMATS), ...BODIES], versions: MAX_VERSIONS };
      const { page, versions, hasOlder } = await finder.page(run, query.url, wanted, call);
      const found = gotPage(page ?? {});
      const kept = FORMATS.filter((format) => found.page.row?.formats.includes(format) === true);
      const body = {
        ...toCrawlRow(found, query.format ?? kept, projectPageLinks(baseUrl, run)),
        runId: run.id,
        versions: versions.map(toVersion),
        olderVersions: hasOlder,
        creditsUsed: 0,
        request_id: requestId,
      } satisfies StoredPage;
      return { status: 200, body };
    }),

    endpoint(routes.getPageScreenshot, async ({ params, query, call }) => {
      const run = await mustRun(projects, { id: params.id, runId: query.run_id }, call);
      const pageId = await finder.idOf(run, query.url, call);
      return { status: 200, bytes: await reader.screenshot(run.id, pageId, call) };
    }),
  ];
}
