import { type FoundPages, routes } from '@tidemark/api';
import { type Excerpt, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun } from '../../queries/find-run.ts';
import { projectRunOf, requirePage } from '../../queries/page-finder.ts';
import { projectPageLinks } from '../../responses/page-row.ts';
import { toCrawlRow } from '../../responses/run-envelope.ts';

/** Cursor of a search: run id and page number, so that a newer run does not change a search in progress. */
const CURSOR = /^(run_\w{26})\.(\d{1,9})$/;

function readCursor(cursor: string, named: string | undefined): { runId: string | undefined; after: number } {
  if (cursor === '') return { runId: named, after: 0 };
  const [, runId, after] = CURSOR.exec(cursor) ?? [];
  if (runId !== undefined && (named === undefined || named === runId)) return { runId, after: Number(after) };
  const msg = 'expected the `cursor` of an earlier response of this search';
  throw new AppError('validation', `cursor: ${msg}`, {
    detail: [{ loc: ['body', 'cursor'], msg, type: 'invalid_cursor' }],
  });
}

const toExcerpt = ({ text, marks }: Excerpt): FoundPages['data'][number]['excerpts'][number] => ({
  text,
  marks: marks.flatMap((from, at) => (at % 2 === 0 ? [{ from, to: marks[at + 1] ?? from }] : [])),
});

/** Deadline of one search call, ms; longer than the time limit of a single page. */
const SEARCH_MS = 15_000;

/** Endpoint that searches the stored pages of a run; each request scans a part of the run. */
export function searchEndpoint({ projects, archive }: { readonly projects: Peer; readonly archive: Peer }): Endpoint {
  return endpoint(routes.searchPages, async ({ params, body, baseUrl, call, requestId }) => {
    const { q, mode, limit } = body;
    const { runId, after } = readCursor(body.cursor, body.run_id);
    const run = await findRun(projects, { id: params.id, runId }, call);
    const around = { creditsUsed: 0, request_id: requestId };
    if (run === undefined) {
      const none = { data: [], next: null, cursor: null, runId: null, scanned: 0, withoutBody: 0, total: 0, ...around };
      return { status: 200, body: none };
    }
    const found = await archive.call(Rpc.searchPages, { run: projectRunOf(run), q, mode, after, limit }, call, {
      deadlineMs: SEARCH_MS,
    });
    const links = projectPageLinks(baseUrl, run);
    const cursor = found.isMore ? `${run.id}.${found.last}` : null;
    const answer: FoundPages = {
      data: found.pages.map(({ page, matches, excerpts }) => ({
        ...toCrawlRow(requirePage(page ?? {}), [], links),
        matches,
        excerpts: excerpts.map(toExcerpt),
      })),
      next: cursor,
      cursor,
      runId: run.id,
      scanned: found.scanned,
      withoutBody: found.withoutBody,
      total: found.total,
      ...around,
    };
    return { status: 200, body: answer };
  });
}
