import {
  ArchiveServiceService as Archive,
  type ArchivedPage,
  type Excerpt,
  type FoundPage,
  type ProjectRun,
  type SearchPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import type { PageMatches, SearchSelectorsRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { MatchPages, WaitBudget } from './match-pages.ts';

/** Pages per batch, and concurrent batches: together a fraction of the time of a call. */
const PAGES_A_PIECE = 8;
const PIECES_AT_ONCE = 2;
const PAGES_AT_ONCE = PAGES_A_PIECE * PIECES_AT_ONCE;
const SAMPLES = 3;
const MAX_CHARS = 1_000;
const MAX_LIMIT = 1_000;
/** Time after which a call ends with what it has found, ms; the next call continues. */
const SEARCH_MS = 150;
const DEADLINE_MS = 15_000;
const WITH_HTML = { q: '', bodies: [], withBody: 'rawHtml' };

const refused = (msg: string): AppError =>
  new AppError('validation', `the search can not be made: ${msg}`, {
    detail: [{ loc: ['body', 'q'], msg, type: 'selector_refused' }],
  });

const notReached = (): AppError =>
  new AppError('unavailable', 'no page could be matched in time', { retryAfterSeconds: 2 });

export interface SearchSelectorsDeps {
  readonly archive: Peer;
  readonly matchPages: MatchPages;
}

/** A selector, and how it is matched on pages. */
interface Search {
  readonly selector: string;
  readonly match: (pages: readonly ArchivedPage[]) => Promise<Map<string, PageMatches>>;
}

/** Progress of a call. */
interface Scanned {
  readonly pages: readonly FoundPage[];
  /** The number of the last page scanned. */
  readonly last: number;
  readonly isMore: boolean;
}

/** Finds pages of a run whose stored html matches a selector. @throws AppError validation, not_found, unavailable */
export type SearchSelectors = (
  request: SearchSelectorsRequest,
  call: CallContext,
  budget: () => WaitBudget,
) => Promise<SearchPagesResponse>;

export function makeSearchSelectors({ archive, matchPages }: SearchSelectorsDeps): SearchSelectors {
  return async ({ run, after: from, limit, ...request }, call, budget) => {
    const selector = readSelector(request.selector);
    const match = async (pages: readonly ArchivedPage[]) => {
      const pieces = [pages.slice(0, PAGES_A_PIECE), pages.slice(PAGES_A_PIECE)].filter(({ length }) => length > 0);
      // An invalid selector is rejected even if there is no page.
      const tried = pieces.length === 0 && from <= 0 ? [[]] : pieces;
      const matched = await Promise.all(
        tried.map(async (piece) => {
          const rows = piece.flatMap(({ page }) => page?.row ?? []);
          const found = await matchPages({ selectors: [selector], pages: rows, samples: SAMPLES }, budget());
          const fault = found.errors[0];
          if (fault !== undefined) throw refused(fault);
          return found.pages;
        }),
      );
      return new Map(matched.flat().map((page) => [page.pageId, page]));
    };
    const after = Math.max(from, 0);
    const range = { after, limit: Math.min(Math.max(limit, 1), MAX_LIMIT) };
    const { pages, last, isMore } = await scan(archive, { run, range, call }, { selector, match });
    const counted = { run: withoutWait(run), body: 'rawHtml', after, to: last };
    const counts = await archive.call(Archive.countPages, counted, call, { deadlineMs: DEADLINE_MS });
    const { inRange: scanned, withoutBody, total } = counts;
    return { pages: [...pages], last, isMore, scanned, withoutBody, total };
  };
}

function readSelector(text: string): string {
  const selector = text.trim();
  if (selector === '') throw refused('expected a CSS selector, or an XPath that begins with / or (');
  if (selector.length > MAX_CHARS) throw refused(`expected ${MAX_CHARS} characters at most`);
  return selector;
}

/** Returns the run after its pages are listed. */
const withoutWait = (run: ProjectRun | undefined): ProjectRun | undefined =>
  run?.expected === undefined ? run : { ...run, expected: { ...run.expected, waitMs: 0 } };

interface ScanRange {
  readonly run: ProjectRun | undefined;
  readonly range: { readonly after: number; readonly limit: number };
  readonly call: CallContext;
}

async function scan(archive: Peer, { run, range, call }: ScanRange, { match }: Search): Promise<Scanned> {
  const { after, limit } = range;
  const pages: FoundPage[] = [];
  let untilMs: number | undefined;
  for (let last = after; ; ) {
    const query = {
      ...WITH_HTML,
      run: untilMs === undefined ? run : withoutWait(run),
      after: last,
      limit: PAGES_AT_ONCE,
    };
    const candidates = await archive.call(Archive.queryPages, query, call, { deadlineMs: DEADLINE_MS });
    // The time counts from here, because the first call may have waited for pages to be listed.
    untilMs ??= performance.now() + SEARCH_MS;
    const matched = await match(candidates.pages);
    const batch = scanBatch(candidates.pages, matched, { last, room: limit - pages.length });
    pages.push(...batch.found);
    last = batch.last;
    if (batch.end === 'unmatched' && last === after) throw notReached();
    if (batch.end !== 'complete') return { pages, last, isMore: true };
    if (candidates.pages.length < PAGES_AT_ONCE)
      return { pages, last: Math.max(last, candidates.last), isMore: candidates.isMore };
    if (pages.length >= limit || performance.now() > untilMs) return { pages, last, isMore: true };
  }
}

/** Pages of a batch that match, up to the first that could not be matched in time or has no room; it is scanned again by the next call. */
interface ScannedBatch {
  readonly found: readonly FoundPage[];
  readonly last: number;
  readonly end: 'complete' | 'unmatched' | 'full';
}

function scanBatch(
  candidates: readonly ArchivedPage[],
  matched: ReadonlyMap<string, PageMatches>,
  { last: before, room }: { readonly last: number; readonly room: number },
): ScannedBatch {
  const found: FoundPage[] = [];
  let last = before;
  for (const candidate of candidates) {
    const matches = matched.get(candidate.page?.row?.id ?? '');
    if (matches === undefined) return { found, last, end: 'unmatched' };
    const page = toFound(candidate, matches);
    if (page !== undefined && found.length === room) return { found, last, end: 'full' };
    if (page !== undefined) found.push(page);
    last = candidate.known?.number ?? last;
  }
  return { found, last, end: 'complete' };
}

/** @returns undefined if there is no match or the page cannot be read */
function toFound(page: ArchivedPage, matches: PageMatches): FoundPage | undefined {
  const [match] = matches.matches;
  if (match === undefined || match.count === 0) return undefined;
  const excerpts: Excerpt[] = match.samples.map((text) => ({ text, marks: [] }));
  return { page, matches: match.count, excerpts };
}
