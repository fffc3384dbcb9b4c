import type { Excerpt, FoundPage } from '@tidemark/contracts/archive/v1/archive';
import { type PageMatches, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { ListedRun } from '../domain/listed-run.ts';
import { type FoundRow, type PageQueries, toArchived } from '../store/page-queries.ts';
import type { Scanned, ScanRange } from './search-pages.ts';

/** Pages sent at once: as many as are looked at in a fraction of the time for an asking. */
const PAGES_A_PIECE = 8;
const PIECES_AT_ONCE = 2;
const SAMPLES = 3;
const MAX_CHARS = 1_000;
const DEADLINE_MS = 10_000;

const refused = (msg: string): AppError =>
  new AppError('validation', `the search can not be made: ${msg}`, {
    detail: [{ loc: ['body', 'q'], msg, type: 'selector_refused' }],
  });

const notReached = (): AppError =>
  new AppError('unavailable', 'no page could be looked at in time', { retryAfterSeconds: 2 });

/** Pages of a run whose stored html contains what a selector names. Scrape reads the html: it is hostile, and read where pages are. */
export function makeSearchSelectors({ queries, scrape }: { queries: PageQueries; scrape: Peer }) {
  return (q: string, call: CallContext) => {
    const selector = q.trim();
    if (selector === '') throw refused('expected a CSS selector, or an XPath that begins with / or (');
    if (selector.length > MAX_CHARS) throw refused(`expected ${MAX_CHARS} characters at most`);

    /** What is said of each page, by its id; those that were not reached in time are not among them. */
    const lookAt = async (piece: readonly FoundRow[]): Promise<[string, PageMatches][]> => {
      if (piece.length === 0) return [];
      const asked = { selectors: [selector], pages: piece.map(({ row }) => row), samples: SAMPLES };
      const answer = await scrape.call(Rpc.matchSelectors, asked, call, { deadlineMs: DEADLINE_MS });
      const [fault] = answer.errors;
      if (fault !== undefined && fault !== '') throw refused(fault);
      return answer.pages.map((page) => [page.pageId, page]);
    };
    return async (run: ListedRun, { after, limit, untilMs }: ScanRange): Promise<Scanned> => {
      const pages: FoundPage[] = [];
      const wanted = PAGES_A_PIECE * PIECES_AT_ONCE;
      for (let last = after; ; ) {
        const candidates = await queries.withBody(run, 'rawHtml', { after: last, limit: wanted });
        // A selector that can't be used is told though there is no page to try it on.
        if (candidates.length === 0 && after === 0) await checked(scrape, selector, call);
        const pieces = [candidates.slice(0, PAGES_A_PIECE), candidates.slice(PAGES_A_PIECE)];
        const told = new Map((await Promise.all(pieces.map(lookAt))).flat());
        for (const found of candidates) {
          const matches = told.get(found.row.id);
          if (matches === undefined && last === after) throw notReached();
          const page = toPage(found, matches);
          // This one and the rest are looked at again: one that was not reached may well contain it.
          if (matches === undefined || (page !== undefined && pages.length === limit))
            return { pages, last, isDone: false };
          if (page !== undefined) pages.push(page);
          last = found.known.number;
        }
        if (candidates.length < wanted) return { pages, last: Math.max(last, run.listed), isDone: true };
        if (pages.length >= limit || performance.now() > untilMs) return { pages, last, isDone: false };
      }
    };
  };
}

async function checked(scrape: Peer, selector: string, call: CallContext): Promise<void> {
  const { errors } = await scrape.call(Rpc.matchSelectors, { selectors: [selector], pages: [], samples: 0 }, call, {
    deadlineMs: DEADLINE_MS,
  });
  const [fault] = errors;
  if (fault !== undefined && fault !== '') throw refused(fault);
}

/** @returns undefined where it is not there; a page that could not be looked at, for its own sake, says nothing either */
function toPage(found: FoundRow, matches: PageMatches | undefined): FoundPage | undefined {
  const [match] = matches?.matches ?? [];
  if (match === undefined || match.count === 0) return undefined;
  const excerpts: Excerpt[] = match.samples.map((text) => ({ text, marks: [] }));
  return { page: toArchived(found), matches: match.count, excerpts };
}
