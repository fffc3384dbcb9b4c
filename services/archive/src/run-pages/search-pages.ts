import type { BlobStore } from '@tidemark/blobs';
import type { Excerpt, FoundPage } from '@tidemark/contracts/archive/v1/archive';
import type { ListedRun } from '../domain/listed-run.ts';
import { readMarkdown } from '../pages/read-markdown.ts';
import { makeExcerpts } from '../search/excerpts.ts';
import { findMatches } from '../search/find-matches.ts';
import { type Needle, readNeedles } from '../search/needles.ts';
import { searchedText } from '../search/plain-text.ts';
import { placesOf } from '../search/sketch.ts';
import { fold } from '../search/words.ts';
import { type FoundRow, type PageQueries, type Range, toArchived } from '../store/page-queries.ts';

/** Progress of one search call. */
export interface Scanned {
  readonly pages: readonly FoundPage[];
  /** The number of the last page scanned. */
  readonly last: number;
  /** True if every listed page has been scanned. */
  readonly isDone: boolean;
}

export interface ScanRange {
  readonly after: number;
  readonly limit: number;
  /** End of the call's time limit, by `performance.now()`. */
  readonly untilMs: number;
}

const CANDIDATES_AT_ONCE = 128;
const READS_AT_ONCE = 8;
/** Maximum number of words matched against sketches: more would exclude hardly any further page. */
const MAX_HASHES = 8;

/** Returns the bits that are set in the sketch of every page that can match. */
export function placesOfAll(needles: readonly Needle[]): number[] {
  const hashes = new Set(needles.filter(({ negated }) => !negated).flatMap((needle) => needle.hashes));
  return [...hashes].slice(0, MAX_HASHES).flatMap(placesOf);
}

/** Scans the next pages of a run, within limits of results and time. */
export type ScanPages = (run: ListedRun, range: ScanRange) => Promise<Scanned>;

/**
 * Compiles a search for words. The scan selects pages by their sketches, and matches the stored text of each.
 * @throws AppError validation
 */
export type SearchWords = (q: string) => ScanPages;

export function makeSearchWords({
  queries,
  blobs,
}: {
  readonly queries: PageQueries;
  readonly blobs: BlobStore;
}): SearchWords {
  return (q) => {
    const needles = readNeedles(q);
    const places = placesOfAll(needles);
    const findCandidates = (run: ListedRun, range: Range): Promise<FoundRow[]> =>
      places.length === 0 ? queries.withBody(run, 'markdown', range) : queries.bySketch(run, places, range);
    const searchPage = async (found: FoundRow): Promise<FoundPage | undefined> => {
      const markdown = await readMarkdown(blobs, found.row);
      return markdown === undefined ? undefined : matched(found, searchedText(markdown, found.row.title), needles);
    };
    return async (run, { after, limit, untilMs }) => {
      const pages: FoundPage[] = [];
      for (let last = after; ; ) {
        const range = { after: last, limit: CANDIDATES_AT_ONCE };
        const candidates = await findCandidates(run, range);
        const found = await searchInOrder(candidates, searchPage, { limit: limit - pages.length, untilMs });
        pages.push(...found.pages);
        last = candidates[found.scanned - 1]?.known.number ?? last;
        const isRest = candidates.length < CANDIDATES_AT_ONCE && found.scanned === candidates.length;
        if (isRest) return { pages, last: Math.max(last, run.listed), isDone: true };
        if (found.isOver) return { pages, last, isDone: false };
      }
    };
  };
}

/** Matches candidates in order, until `limit` of them match or the time is over. */
async function searchInOrder(
  candidates: readonly FoundRow[],
  searchPage: (candidate: FoundRow) => Promise<FoundPage | undefined>,
  { limit, untilMs }: Omit<ScanRange, 'after'>,
): Promise<{ readonly pages: readonly FoundPage[]; readonly scanned: number; readonly isOver: boolean }> {
  const pages: FoundPage[] = [];
  let isOver = false;
  let scanned = 0;
  while (scanned < candidates.length && !isOver) {
    const piece = candidates.slice(scanned, scanned + Math.min(READS_AT_ONCE, limit - pages.length));
    const searched = await Promise.all(piece.map(searchPage));
    pages.push(...searched.filter((page) => page !== undefined));
    scanned += piece.length;
    isOver = pages.length >= limit || performance.now() > untilMs;
  }
  return { pages, scanned, isOver };
}

function matched(found: FoundRow, text: string, needles: readonly Needle[]): FoundPage | undefined {
  const match = matchText(text, needles);
  return match && { page: toArchived(found), ...match };
}

/** The number of matches of a text, with excerpts around some of them. */
export interface TextMatch {
  readonly matches: number;
  readonly excerpts: Excerpt[];
}

/** Matches a text; undefined if it does not contain the words. */
export function matchText(text: string, needles: readonly Needle[]): TextMatch | undefined {
  const folded = fold(text);
  const matches = findMatches(folded, needles);
  if (matches === undefined) return undefined;
  // The excerpt is cut from the original text where folding keeps the offsets, otherwise from the folded text.
  const shown = folded.length === text.length ? text : folded;
  return { matches: matches.count, excerpts: makeExcerpts(shown, matches.places) };
}
