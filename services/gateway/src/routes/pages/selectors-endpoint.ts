import { routes, type SelectorMatches } from '@tidemark/api';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { type PageMatches, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { type Endpoint, endpoint } from '../../mount.ts';
import { askedRun } from '../runs/asked-run.ts';
import type { ContentPeers } from './content-endpoints.ts';
import { PageFinder } from './page-finder.ts';
import { pagesWithHtml } from './pages-with-html.ts';

/** Texts shown of a page, and pages shown of a selector. */
const SAMPLES = 3;
const SAMPLE_PAGES = 5;
/** A hundred large pages take a while; those not reached by then are counted as such. */
const WITHIN_MS = 15_000;

interface Matched {
  readonly rows: readonly WireRow[];
  readonly pages: readonly PageMatches[];
  readonly errors: readonly string[];
}

/** What one selector names on the pages that could be looked at. */
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
    error: errors[at] || null,
    matches: found.reduce((sum, { matches }) => sum + matches, 0),
    pages: found.length,
    samples: found.slice(0, SAMPLE_PAGES),
  };
}

/** What selectors name on the stored pages of the last full run. */
export function selectorsEndpoint({ projects, crawl, archive, scrape }: ContentPeers): Endpoint {
  const finder = new PageFinder(crawl, archive);
  return endpoint(routes.matchSelectors, async ({ params, body, call, requestId }) => {
    const { selectors, page } = body;
    const run = await askedRun(projects, { id: params.id }, call);
    const { rows, without } =
      run === undefined
        ? { rows: [], without: 0 }
        : page === undefined
          ? await pagesWithHtml({ archive, finder }, run, call)
          : { rows: [await finder.row(run, page, call)], without: 0 };
    // Asked for no page at all it still says which selectors can't be used.
    const asked = { selectors, pages: [...rows], samples: SAMPLES };
    const { pages, errors } = await scrape.call(Rpc.matchSelectors, asked, call, { deadlineMs: WITHIN_MS });
    const bodiless = pages.filter(({ hasHtml, error }) => !hasHtml && error === '').length;
    const scanned = pages.filter(({ hasHtml, error }) => hasHtml && error === '').length;
    const answer: SelectorMatches = {
      data: selectors.map((selector, at) => toMatches(selector, at, { rows, pages, errors })),
      runId: run?.id ?? null,
      scanned,
      withoutBody: without + bodiless,
      failed: rows.length - scanned - bodiless,
      creditsUsed: 0,
      request_id: requestId,
    };
    return { status: 200, body: answer };
  });
}
