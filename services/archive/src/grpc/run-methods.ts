import { reusingSerializer } from '@tidemark/contracts';
import type { SearchPagesRequest, SearchPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { QueryPagesResponse, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type HandlerContext, handle } from '@tidemark/service';
import { isListedToEnd } from '../domain/list-state.ts';
import type { BodyCounts, EngineSummary, ListedRun } from '../domain/listed-run.ts';
import type { OpenRun } from '../listing/open-run.ts';
import { type BodyName, isBodyName } from '../pages/read-bodies.ts';
import type { GetPage } from '../run-pages/get-page.ts';
import { type PagesQuery, type QueryPages, readQuery } from '../run-pages/query-pages.ts';
import type { SearchWords } from '../run-pages/search-pages.ts';
import { isSearchedBody, type PageQueries, type SearchedBody } from '../store/page-queries.ts';

const MAX_LIMIT = 1_000;
const MAX_VERSIONS = 200;

export interface RunUseCases {
  readonly openRun: OpenRun;
  readonly queries: PageQueries;
  readonly queryPages: QueryPages;
  readonly searchWords: SearchWords;
  readonly getPage: GetPage;
  /** Time limit of one search call, ms; the next call continues the scan. */
  readonly searchMs: number;
}

const toEngineShare = ({ method, ...share }: EngineSummary) => ({
  ...share,
  method: method === '' ? undefined : method,
});

const limited = (limit: number): number => Math.min(Math.max(limit, 1), MAX_LIMIT);
const from = (after: number): number => Math.max(after, 0);

function bodyNames(bodies: readonly string[]): BodyName[] {
  const unknown = bodies.find((name) => !isBodyName(name));
  if (unknown !== undefined) throw new AppError('validation', `there is no body "${unknown}"`);
  return bodies.filter(isBodyName);
}

/** Binds the methods that read the runs of projects: checks a request, calls the use case, returns its result. */
export function runMethods(useCases: RunUseCases): BoundMethod[] {
  const { openRun, queries, queryPages, getPage } = useCases;
  return [
    handle(
      Rpc.queryPages,
      async ({ run: requested, after, limit, bodies, withBody, ...conditions }, ctx) => {
        const range = { after: from(after), limit: limited(limit) };
        const body = withBody === undefined ? undefined : searchedBody(withBody);
        const query: PagesQuery = { ...conditions, ...range, bodies: bodyNames(bodies), withBody: body };
        const filter = readQuery(query);
        return queryPages(await openRun(requested, ctx), query, filter);
      },
      reusingSerializer(QueryPagesResponse),
    ),
    handle(Rpc.searchPages, (request, ctx) => search(useCases, request, ctx)),
    handle(Rpc.countPages, async ({ run: requested, body, after, to }, ctx) => {
      const kind = searchedBody(body);
      const run = await openRun(requested, ctx);
      const [inRange, counts] = await Promise.all([queries.countBetween(run, from(after), to), countsOf(queries, run)]);
      const withoutBody = kind === 'markdown' ? counts.withoutMarkdown : counts.withoutHtml;
      return { inRange, withoutBody, total: counts.pages };
    }),
    handle(Rpc.getPage, async (request, ctx) => {
      const { run: requested, pageId, bodies, versions, beforeRunId: before, withVersionFields: withFields } = request;
      const limit = Math.min(from(versions), MAX_VERSIONS);
      const query = { pageId, bodies: bodyNames(bodies), versions: limit, before, withFields };
      return getPage(await openRun(requested, ctx), query);
    }),
    handle(Rpc.summarizeRun, async ({ run: requested }, ctx) => {
      const run = await openRun(requested, ctx);
      const { engines, pages } = run.summary ?? (await queries.summarize(run));
      return { engines: engines.map(toEngineShare), pages };
    }),
  ];
}

/** @throws AppError validation */
function searchedBody(name: string): SearchedBody {
  if (isSearchedBody(name)) return name;
  throw new AppError('validation', `no body "${name}" is searched`);
}

async function search(
  { openRun, queries, searchWords, searchMs }: RunUseCases,
  request: SearchPagesRequest,
  ctx: HandlerContext,
): Promise<SearchPagesResponse> {
  const scan = searchWords(request.q);
  const run = await openRun(request.run, ctx);
  // The limit applies to the scan: openRun may list pages first, within a limit of its own.
  const untilMs = performance.now() + searchMs;
  const after = from(request.after);
  const { pages, last, isDone } = await scan(run, { after, limit: limited(request.limit), untilMs });
  const [scanned, counts] = await Promise.all([queries.countBetween(run, after, last), countsOf(queries, run)]);
  return {
    pages: [...pages],
    last,
    isMore: !(isDone && isListedToEnd(run)),
    scanned,

    withoutBody: counts.withoutMarkdown,
    total: counts.pages,
  };
}

/** Returns the body counts that every search response needs. A running run has no summary yet, so they are counted. */
const countsOf = async (queries: PageQueries, run: ListedRun): Promise<BodyCounts> =>
  run.summary ?? queries.countBodies(run);
