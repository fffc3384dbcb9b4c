import { routes, type SelectorMatches } from '@tidemark/api';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { type PageMatches, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun } from '../../queries/find-run.ts';
import { PageFinder } from '../../queries/page-finder.ts';
import { missingBodiesNote } from '../../responses/missing-bodies.ts';
import type { ContentPeers } from './content-endpoints.ts';
import { pagesWithHtml } from './pages-with-html.ts';

/** Sample texts per page, and sample pages per selector. */
const SAMPLES = 3;
const SAMPLE_PAGES = 5;
/** Deadline for up to 100 pages, ms; pages not evaluated by then are counted as failed. */
const DEADLINE_MS = 15_000;

interface Matched {
  readonly rows: readonly WireRow[];
  readonly pages: readonly PageMatches[];
  readonly errors: Readonly<Record<number, string>>;
}

/** Summarises the matches of one selector. */
function toMatches(selector: string, at: number, { rows, pages, errors }: Matched): SelectorMatches['data'][number] {
  const urls = new Map(rows.map(({ id, url }) => [id, url]));
  const found = pages.flatMap(({ pageId, matches }) => {
    const match = matches[at];
    return match === undefined || match.count === 0
      ? []
      : [{ url: urls.get(pageId) ?? '', matches: match.count, texts: match.samples }];
  });
  return {
    selector,
    error: errors[at] ?? null,
    matches: found.reduce((sum, { matches }) => sum + matches, 0),
    pages: found.length,
    samples: found.slice(0, SAMPLE_PAGES),
  };
}

/** Endpoint that matches selectors on the stored pages of the last full run. */
export function selectorsEndpoint({ projects, crawl, archive, scrape }: ContentPeers): Endpoint {
  const finder = new PageFinder(crawl, archive);
  return endpoint(routes.matchSelectors, async ({ params, body, call, requestId }) => {
    const { selectors, page } = body;
    const run = await findRun(projects, { id: params.id }, call);
    const { rows, without } =
      run === undefined
        ? { rows: [], without: 0 }
        : page === undefined
          ? await pagesWithHtml({ archive, finder }, run, call)
          : { rows: [await finder.row(run, page, call)], without: 0 };
    // Without pages the call still validates the selectors.
    const request = { selectors, pages: [...rows], samples: SAMPLES };
    const { pages, errors } = await scrape.call(Rpc.matchSelectors, request, call, { deadlineMs: DEADLINE_MS });
    const withoutHtml = pages.filter(({ hasHtml, error }) => !hasHtml && error === undefined).length;
    const scanned = pages.filter(({ hasHtml, error }) => hasHtml && error === undefined).length;
    const response: SelectorMatches = {
      data: selectors.map((selector, at) => toMatches(selector, at, { rows, pages, errors })),
      runId: run?.id ?? null,
      scanned,
      withoutBody: without + withoutHtml,
      failed: rows.length - scanned - withoutHtml,
      note: missingBodiesNote(without + withoutHtml, 'html'),
      creditsUsed: 0,
      request_id: requestId,
    };
    return { status: 200, body: response };
  });
}
