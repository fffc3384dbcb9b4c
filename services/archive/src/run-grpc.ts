import { reusingSerializer } from '@tidemark/contracts';
import type { SearchPagesRequest, SearchPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { QueryPagesResponse, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type HandlerContext, handle } from '@tidemark/service';
import { isListedToEnd } from './domain/list-state.ts';
import type { BodyCounts, ListedRun } from './domain/listed-run.ts';
import type { makeOpenRun } from './listing/open-run.ts';
import { type BodyName, isBodyName } from './pages/read-bodies.ts';
import type { makeGetPage } from './run-pages/get-page.ts';
import { type makeQueryPages, type PagesQuery, readQuery } from './run-pages/query-pages.ts';
import type { makeSearchWords } from './run-pages/search-pages.ts';
import { isSearchedBody, type PageQueries, type SearchedBody } from './store/page-queries.ts';

const MAX_LIMIT = 1_000;
const MAX_VERSIONS = 200;

export interface RunGrpcDeps {
  readonly openRun: ReturnType<typeof makeOpenRun>;
  readonly queries: PageQueries;
  readonly queryPages: ReturnType<typeof makeQueryPages>;
  readonly searchWords: ReturnType<typeof makeSearchWords>;
  readonly getPage: ReturnType<typeof makeGetPage>;
  /** Time limit of one search call, ms; the next call continues the scan. */
  readonly searchMs: number;
}

const limited = (limit: number): number => Math.min(Math.max(limit, 1), MAX_LIMIT);
const from = (after: number): number => Math.max(after, 0);

function bodyNames(bodies: readonly string[]): BodyName[] {
  const unknown = bodies.find((name) => !isBodyName(name));
  if (unknown !== undefined) throw new AppError('validation', `there is no body "${unknown}"`);
  return bodies.filter(isBodyName);
}

/** The archive's face for questions about the runs of projects: proto in, use case, proto out. */
export function runGrpc(deps: RunGrpcDeps): BoundMethod[] {
  const { openRun, queries, queryPages, getPage } = deps;
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
    handle(Rpc.searchPages, (request, ctx) => search(deps, request, ctx)),
    handle(Rpc.countPages, async ({ run: requested, body, after, to }, ctx) => {
      const kind = searchedBody(body);
      const run = await openRun(requested, ctx);
      const [inRange, counts] = await Promise.all([queries.countBetween(run, from(after), to), countsOf(deps, run)]);
      const withoutBody = kind === 'markdown' ? counts.withoutMarkdown : counts.withoutHtml;
      return { inRange, withoutBody, total: counts.pages };
    }),
    handle(Rpc.getPage, async ({ run: requested, pageId, bodies, versions, beforeRunId: before }, ctx) => {
      const query = { pageId, bodies: bodyNames(bodies), versions: Math.min(from(versions), MAX_VERSIONS), before };
      return getPage(await openRun(requested, ctx), query);
    }),
    handle(Rpc.summarizeRun, async ({ run: requested }, ctx) => {
      const run = await openRun(requested, ctx);
      const { engines, pages } = run.summary ?? (await queries.summarize(run));
      return { engines: [...engines], pages };
    }),
  ];
}

/** @throws AppError validation */
function searchedBody(name: string): SearchedBody {
  if (isSearchedBody(name)) return name;
  throw new AppError('validation', `no body "${name}" is searched`);
}

async function search(
  deps: RunGrpcDeps,
  request: SearchPagesRequest,
  ctx: HandlerContext,
): Promise<SearchPagesResponse> {
  const scan = deps.searchWords(request.q);
  const run = await deps.openRun(request.run, ctx);
  // From here on: listing pages that have ended since takes time of its own.
  const untilMs = performance.now() + deps.searchMs;
  const after = from(request.after);
  const { pages, last, isDone } = await scan(run, { after, limit: limited(request.limit), untilMs });
  const [scanned, counts] = await Promise.all([deps.queries.countBetween(run, after, last), countsOf(deps, run)]);
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
const countsOf = async ({ queries }: RunGrpcDeps, run: ListedRun): Promise<BodyCounts> =>
  run.summary ?? queries.countBodies(run);
