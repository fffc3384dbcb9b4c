import type { SearchPagesRequest, SearchPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type HandlerContext, handle } from '@tidemark/service';
import type { BodyCounts, ListedRun } from './domain/listed-run.ts';
import type { makeOpenRun } from './listing/open-run.ts';
import type { makeGetPage } from './questions/get-page.ts';
import { type makeQueryPages, type PagesQuery, readQuery } from './questions/query-pages.ts';
import type { makeSearchWords } from './questions/search-pages.ts';
import { type BodyName, isBodyName } from './read-bodies.ts';
import { isSearchedBody, type PageQueries, type SearchedBody } from './store/page-queries.ts';

const MAX_LIMIT = 1_000;
const MAX_VERSIONS = 200;

export interface RunFace {
  readonly openRun: ReturnType<typeof makeOpenRun>;
  readonly queries: PageQueries;
  readonly queryPages: ReturnType<typeof makeQueryPages>;
  readonly searchWords: ReturnType<typeof makeSearchWords>;
  readonly getPage: ReturnType<typeof makeGetPage>;
  /** Milliseconds for one asking of a search: a scan goes on with the next. */
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
export function runGrpc(face: RunFace): BoundMethod[] {
  const { openRun, queries, queryPages, getPage } = face;
  return [
    handle(Rpc.queryPages, async ({ run: asked, after, limit, bodies, withBody, ...query }, ctx) => {
      const range = { after: from(after), limit: limited(limit) };
      const body = withBody === undefined ? undefined : searchedBody(withBody);
      const wanted: PagesQuery = { ...query, ...range, bodies: bodyNames(bodies), withBody: body };
      const filter = readQuery(wanted);
      return queryPages(await openRun(asked, ctx), wanted, filter);
    }),
    handle(Rpc.searchPages, (request, ctx) => search(face, request, ctx)),
    handle(Rpc.countPages, async ({ run: asked, body, after, to }, ctx) => {
      const kind = searchedBody(body);
      const run = await openRun(asked, ctx);
      const [inRange, counts] = await Promise.all([queries.countBetween(run, from(after), to), countsOf(face, run)]);
      const withoutBody = kind === 'markdown' ? counts.withoutMarkdown : counts.withoutHtml;
      return { inRange, withoutBody, total: counts.pages };
    }),
    handle(Rpc.getPage, async ({ run: asked, pageId, bodies, versions, beforeRunId: before }, ctx) => {
      const wanted = { pageId, bodies: bodyNames(bodies), versions: Math.min(from(versions), MAX_VERSIONS), before };
      return getPage(await openRun(asked, ctx), wanted);
    }),
    handle(Rpc.summarizeRun, async ({ run: asked }, ctx) => {
      const run = await openRun(asked, ctx);
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

async function search(face: RunFace, request: SearchPagesRequest, ctx: HandlerContext): Promise<SearchPagesResponse> {
  const scan = face.searchWords(request.q);
  const run = await face.openRun(request.run, ctx);
  // From here on: listing pages that have ended since takes time of its own.
  const untilMs = performance.now() + face.searchMs;
  const after = from(request.after);
  const { pages, last, isDone } = await scan(run, { after, limit: limited(request.limit), untilMs });
  const [scanned, counts] = await Promise.all([face.queries.countBetween(run, after, last), countsOf(face, run)]);
  return {
    ...{ pages: [...pages], last, isMore: !(isDone && run.complete), scanned },
    ...{ withoutBody: counts.withoutMarkdown, total: counts.pages },
  };
}

/** Every call of a search needs them: of a run that goes on they are counted, and nothing else of it is summed up. */
const countsOf = async ({ queries }: RunFace, run: ListedRun): Promise<BodyCounts> =>
  run.summary ?? queries.countBodies(run);
