import { type FoundPages, routes } from '@tidemark/api';
import { ArchiveServiceService as Archive, type SearchPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun } from '../../queries/find-run.ts';
import { projectRunOf, requirePage } from '../../queries/page-finder.ts';
import type { ListCursors } from '../../requests/list-cursors.ts';
import { missingBodiesNote } from '../../responses/missing-bodies.ts';
import { projectPageLinks } from '../../responses/page-row.ts';
import { toCrawlRow } from '../../responses/run-envelope.ts';
import { refusedField, searchVersions, toExcerpt } from './search-versions.ts';

/** Position of a search: run id and page number, so that a newer run does not change a search in progress. */
const POSITION = /^(run_\w{26})\.(\d{1,9})$/;

function readCursor(
  cursors: ListCursors,
  cursor: string,
  named: string | undefined,
): { runId: string | undefined; after: number } {
  const position = cursors.open(cursor);
  if (position === undefined) return { runId: named, after: 0 };
  const [, runId, after] = POSITION.exec(position) ?? [];
  if (runId !== undefined && (named === undefined || named === runId)) return { runId, after: Number(after) };
  throw cursors.refusal();
}

/** Deadline of one search call, ms; longer than the time limit of a single page. */
const SEARCH_MS = 15_000;

export interface SearchPeers {
  readonly projects: Peer;
  readonly archive: Peer;
  readonly scrape: Peer;
}

interface Search {
  readonly run: Run;
  readonly q: string;
  readonly mode: 'content' | 'selector';
  readonly after: number;
  readonly limit: number;
}

/** Words are searched by the archive; selectors by scrape, which reads html. */
async function search(
  { archive, scrape }: SearchPeers,
  { mode, q, ...range }: Search,
  call: CallContext,
): Promise<SearchPagesResponse> {
  const { after, limit } = range;
  const run = projectRunOf(range.run);
  const within = { deadlineMs: SEARCH_MS };
  if (mode === 'content') return archive.call(Archive.searchPages, { run, q, after, limit }, call, within);
  const { found } = await scrape.call(Scrape.searchSelectors, { run, selector: q, after, limit }, call, within);
  if (found === undefined) throw new AppError('internal', 'scrape returned a search without its pages');
  return found;
}

/** Endpoint that searches the stored pages of a run; each request scans a part of the run. */
export function searchEndpoint(peers: SearchPeers): Endpoint {
  const { projects } = peers;
  return endpoint(routes.searchPages, async (request) => {
    const { params, body, baseUrl, call, requestId, cursors } = request;
    if (body.across === 'versions') return searchVersions(peers, request);
    if (body.since !== undefined || body.until !== undefined) throw refusedField('since', 'only across versions');
    const { q, mode, limit } = body;
    const { runId, after } = readCursor(cursors, body.cursor, body.run_id);
    const run = await findRun(projects, { id: params.id, runId }, call);
    const around = { creditsUsed: 0, request_id: requestId };
    if (run === undefined) {
      const none = {
        data: [],
        next: null,
        cursor: null,
        runId: null,
        scanned: 0,
        withoutBody: 0,
        total: 0,
        completeSince: null,
        note: null,
        ...around,
      };
      return { status: 200, body: none };
    }
    const found = await search(peers, { run, q, mode, after, limit }, call);
    const links = projectPageLinks(baseUrl, run);
    const cursor = found.isMore ? cursors.seal(`${run.id}.${found.last}`) : null;
    const response: FoundPages = {
      data: found.pages.map(({ page, matches, excerpts }) => ({
        ...toCrawlRow(requirePage(page ?? {}), [], links),
        matches,
        excerpts: excerpts.map(toExcerpt),
        intervals: null,
      })),
      next: cursor,
      cursor,
      runId: run.id,
      scanned: found.scanned,
      withoutBody: found.withoutBody,
      total: found.total,
      completeSince: null,
      note: missingBodiesNote(found.withoutBody, mode === 'selector' ? 'html' : 'markdown'),
      ...around,
    };
    return { status: 200, body: response };
  });
}
