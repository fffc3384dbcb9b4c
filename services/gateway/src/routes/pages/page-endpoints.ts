import { asObject, hasField, routes, type StoredPage, selectFields } from '@tidemark/api';
import { type PageVersion, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { FORMATS } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun, requireFinishedRun } from '../../queries/find-run.ts';
import { PageFinder, projectRunOf, requirePage } from '../../queries/page-finder.ts';
import { PageHistory } from '../../queries/page-history.ts';
import { RunReader } from '../../queries/run-reader.ts';
import { NO_NEXT_PAGE, sortedPosition } from '../../requests/list-cursors.ts';
import { refuseTogether } from '../../requests/refuse-together.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { projectPageLinks, ROW_BODIES } from '../../responses/page-row.ts';
import { pagesUrl } from '../../responses/project-run.ts';
import { toCrawlRow } from '../../responses/run-envelope.ts';

/** Fields of a row that each body contains. */
const FIELDS_OF = {
  head: ['head'],
  fields: ['fields'],
  extraction: ['extracted', 'extraction', 'extractError'],
} as const;

export interface PagePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
}

const MAX_VERSIONS = 100;

export function pageEndpoints(peers: PagePeers): Endpoint[] {
  return [listEndpoint(peers), ...onePageEndpoints(peers)];
}

function listEndpoint({ projects, archive }: PagePeers): Endpoint {
  return endpoint(routes.listPages, async ({ params, query, baseUrl, call, requestId, cursors }) => {
    const { q, v, flag, sort = '', limit } = query;
    const after = sort === '' ? cursors.openNumber(query.cursor) : cursors.openSorted(sort, query.cursor);
    const run = await findRun(projects, { id: params.id, runId: query.run_id }, call);
    const envelope = { creditsUsed: 0, request_id: requestId };
    if (run === undefined)
      return { status: 200, body: { data: [], ...NO_NEXT_PAGE, runId: null, total: 0, ...envelope } };
    const bodies = ROW_BODIES.filter((name) => FIELDS_OF[name].some((field) => hasField(query, field)));
    const request = { run: projectRunOf(run), q, verdict: v, flag, sort, after, limit, bodies };
    const { pages, last, isMore, total } = await archive.call(Rpc.queryPages, request, call);
    const links = projectPageLinks(baseUrl, run);
    const data = pages.map((each) => selectFields(toCrawlRow(requirePage(each), [], links), query));
    const selected = { fields: query.fields?.join(',') ?? '', omit: query.omit?.join(',') ?? '' };
    const filters = Object.entries({ q, v: v ?? '', flag: flag ?? '', sort, ...selected }).map(([name, value]) =>
      value === '' ? '' : `&${name}=${encodeURIComponent(value)}`,
    );
    const url = `${pagesUrl(baseUrl, run)}&limit=${limit}${filters.join('')}`;
    const nextPage = cursors.nextPage(url, isMore ? sortedPosition(sort, last) : undefined);
    return { status: 200, body: { data, ...nextPage, runId: run.id, total: total ?? null, ...envelope } };
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
  price: version.price ?? null,
  currency: version.currency ?? null,
  inStock: version.inStock ?? null,
  fields: version.fieldsJson === undefined ? null : asObject(JSON.parse(version.fieldsJson)),
});

function onePageEndpoints({ projects, crawl, archive }: PagePeers): Endpoint[] {
  const finder = new PageFinder(crawl, archive);
  const history = new PageHistory({ projects, archive }, finder);
  const reader = new RunReader(crawl, archive);
  return [
    endpoint(routes.getPageContent, async ({ params, query, baseUrl, call, requestId }) => {
      refuseTogether(query, 'at', 'run_id');
      const reading =
        query.at === undefined ? undefined : await history.readingAt({ id: params.id, url: query.url }, query.at, call);
      const run = await requireFinishedRun(projects, { id: params.id, runId: reading?.runId ?? query.run_id }, call);
      const bodies = [...(query.format ?? FORMATS), ...ROW_BODIES];
      const selection = { bodies, versions: MAX_VERSIONS, withVersionFields: query.version_fields };
      const { page, versions, hasOlder } = await finder.page(run, query.url, selection, call);
      const found = requirePage(page ?? {});
      const stored = FORMATS.filter((format) => found.page.row?.formats.includes(format) === true);
      const body = {
        ...toCrawlRow(found, query.format ?? stored, projectPageLinks(baseUrl, run)),
        runId: run.id,
        versions: versions.map(toVersion),
        olderVersions: hasOlder,
        creditsUsed: 0,
        request_id: requestId,
      } satisfies StoredPage;
      return { status: 200, body };
    }),

    endpoint(routes.getPageScreenshot, async ({ params, query, call }) => {
      const run = await requireFinishedRun(projects, { id: params.id, runId: query.run_id }, call);
      const pageId = await finder.idOf(run, query.url, call);
      const headers = { 'content-disposition': `inline; filename="${run.id}.jpg"` };
      return { status: 200, bytes: await reader.screenshot(run.id, pageId, call), headers };
    }),
  ];
}
