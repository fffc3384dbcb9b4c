import type { BlobStore } from '@tidemark/blobs';
import type {
  FoundInterval,
  FoundVersions,
  ScanPosition,
  SearchVersionsResponse,
} from '@tidemark/contracts/archive/v1/archive';
import { isGood, pageHistoryOf, type TextVersion } from '../domain/page-history.ts';
import { readMarkdown } from '../pages/read-markdown.ts';
import { matchText, placesOfAll, type TextMatch } from '../run-pages/search-pages.ts';
import { readNeedles } from '../search/needles.ts';
import { searchedText } from '../search/plain-text.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { type PageQueries, toArchived } from '../store/page-queries.ts';
import type {
  PlacedReading,
  RunRange,
  SearchedProject,
  SearchedRun,
  VersionSearchStore,
} from '../store/version-search-store.ts';
import { toReadingRef } from './list-versions.ts';

/** Pages whose versions are read at a time, and bodies that are. */
const PAGES_AT_ONCE = 64;
const READS_AT_ONCE = 8;
/** Pages of older runs that one statement looks up in newer ones. */
const ROWS_AT_ONCE = 10_000;

export interface VersionSearch {
  readonly q: string;
  /** Only intervals that are not over before this time; undefined: all. */
  readonly since: Date | undefined;
  /** Only intervals that begin at this time at the latest; undefined: all. */
  readonly until: Date | undefined;
  /** Undefined: from the first page. */
  readonly after: ScanPosition | undefined;
  readonly limit: number;
  /** Keys of the URLs that the only page to search may be stored under, hex; undefined: every page is searched. */
  readonly urlKeys: readonly string[] | undefined;
  /** Time of the call, ms. */
  readonly withinMs: number;
}

/**
 * Finds the pages of a project that contained some words in any stored version. A page is scanned with the newest run that has it; a text
 * that several of its versions share is read once. @throws AppError validation
 */
export type SearchVersions = (project: SearchedProject, search: VersionSearch) => Promise<SearchVersionsResponse>;

export interface SearchVersionsDeps {
  readonly store: VersionSearchStore;
  readonly history: Pick<HistoryStore, 'deletedTo'>;
  readonly queries: Pick<PageQueries, 'rowsOf' | 'find'>;
  readonly blobs: BlobStore;
}

/** A version of a page, and a reading of it that has markdown; undefined: none has. */
interface SearchedVersion extends TextVersion<PlacedReading> {
  readonly body: PlacedReading | undefined;
}

/** A page with its versions, oldest first. */
interface SearchedPage {
  readonly position: ScanPosition;
  readonly newest: PlacedReading | undefined;
  readonly versions: readonly SearchedVersion[];
}

/** Pages that no newer run has, and where the scan is continued. */
interface Batch {
  readonly pages: readonly SearchedPage[];
  readonly last: ScanPosition;
}

/** Returns the bounds of a call. One page is searched in one. */
const boundsOf = ({ limit, urlKeys, withinMs }: VersionSearch) =>
  urlKeys === undefined
    ? { most: limit, untilMs: performance.now() + withinMs }
    : { most: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

type RunsToScan = Omit<RunRange, 'limit'>;

/** What the versions of pages match, by the reading that was matched. */
type Matches = ReadonlyMap<string, TextMatch>;

export function makeSearchVersions({ store, history, queries, blobs }: SearchVersionsDeps): SearchVersions {
  return async (project, search) => {
    const { q, since, until, after, urlKeys } = search;
    const needles = readNeedles(q);
    const bits = placesOfAll(needles);
    const { most, untilMs } = boundsOf(search);
    const scan = new ScanResult(await history.deletedTo(project));
    for await (const { pages, last } of batchesOf(project, after, urlKeys)) {
      const matches = await matchBodies(project, pages, bits, (text) => matchText(text, needles));
      for (const page of pages) {
        const intervals = intervalsOf(page.versions, matches).filter(isWithin(since, until));
        scan.add(page, await foundPage(project, page, intervals));
        if (scan.found >= most) return scan.responseAt(page.position);
      }
      if (performance.now() > untilMs) return scan.responseAt(last);
    }
    return scan.responseAt(undefined);
  };

  /** Returns the pages of a project, or the one with these keys. */
  function batchesOf(project: SearchedProject, after: ScanPosition | undefined, urlKeys: VersionSearch['urlKeys']) {
    return urlKeys === undefined ? batches(project, after) : onePage(project, urlKeys);
  }

  /** Reads the readings of one page, under whichever of its URLs they are stored. */
  async function* onePage(project: SearchedProject, urlKeys: readonly string[]): AsyncGenerator<Batch> {
    const readings = [...(await store.readingsOf(project, urlKeys)).values()].flat();
    const inOrder = readings.toSorted((a, b) => a.crawledAt.getTime() - b.crawledAt.getTime());
    const last = { runId: '', number: 0 };
    yield { pages: inOrder.length === 0 ? [] : [searchedPage(last, inOrder)], last };
  }

  /** Yields the pages of a project with their versions: those of the newest run first, then those that only older runs have. */
  async function* batches(project: SearchedProject, after: ScanPosition | undefined): AsyncGenerator<Batch> {
    const all = await store.runsOf(project);
    for (let range = firstRange(all, after); range !== undefined; ) {
      const listed = await store.urlsOf({ ...range, limit: PAGES_AT_ONCE });
      const urlKeys = listed.map(({ urlKey }) => urlKey);
      const readings = await store.readingsOf(project, urlKeys);
      const end = listed.length < PAGES_AT_ONCE ? endOf(range) : listed.at(-1);
      if (end === undefined) return;
      yield {
        pages: listed.map(({ run, number: at, urlKey }) =>
          searchedPage({ runId: run.id, number: at }, readings.get(urlKey) ?? []),
        ),
        last: { runId: end.run.id, number: end.number },
      };
      range = rangeAfter(all, end);
    }
  }

  /** Matches the texts of versions that their sketches do not exclude. */
  async function matchBodies(
    { workspaceId }: SearchedProject,
    pages: readonly SearchedPage[],
    bits: readonly number[],
    match: (text: string) => TextMatch | undefined,
  ): Promise<Matches> {
    const bodies = pages.flatMap(({ versions }) => versions.flatMap(({ body }) => body ?? []));
    const distinct = [...new Map(bodies.map((body) => [body.pageId, body])).values()];
    const candidates = await store.candidates(distinct, bits);
    const pageIds = candidates.map(({ pageId }) => pageId);
    const rows = [...(await queries.rowsOf(workspaceId, pageIds))];
    const matches = new Map<string, TextMatch>();
    for (let at = 0; at < rows.length; at += READS_AT_ONCE)
      await Promise.all(
        rows.slice(at, at + READS_AT_ONCE).map(async ([pageId, row]) => {
          const markdown = await readMarkdown(blobs, row);
          const found = markdown === undefined ? undefined : match(searchedText(markdown, row.title));
          if (found !== undefined) matches.set(pageId, found);
        }),
      );
    return matches;
  }

  /** Returns the newest reading of a page with its intervals, newest first; undefined without intervals, or if it was deleted meanwhile. */
  async function foundPage(
    { workspaceId }: SearchedProject,
    { newest }: SearchedPage,
    intervals: readonly FoundInterval[],
  ): Promise<FoundVersions | undefined> {
    if (newest === undefined || intervals.length === 0) return undefined;
    const { runId, runNo, pageId } = newest;
    const row = await queries.find({ workspaceId, id: runId, no: runNo }, pageId);
    return row && { page: toArchived(row), runId, intervals: intervals.toReversed() };
  }
}

/** What a call has scanned and found. */
class ScanResult {
  readonly #completeSince: Date | undefined;
  readonly #pages: FoundVersions[] = [];
  #scanned = 0;
  #withoutBody = 0;

  constructor(completeSince: Date | undefined) {
    this.#completeSince = completeSince;
  }

  get found(): number {
    return this.#pages.length;
  }

  add({ versions }: SearchedPage, found: FoundVersions | undefined): void {
    this.#scanned += versions.length;
    this.#withoutBody += versions.filter(({ body }) => body === undefined).length;
    if (found !== undefined) this.#pages.push(found);
  }

  /** `last`: the last page scanned; undefined: every page was. */
  responseAt(last: ScanPosition | undefined): SearchVersionsResponse {
    return {
      pages: this.#pages,
      last,
      scanned: this.#scanned,
      withoutBody: this.#withoutBody,
      completeSince: this.#completeSince,
    };
  }
}

/** Returns the next runs to scan: as many as have `ROWS_AT_ONCE` pages together, or a part of a larger one. The newest run is scanned alone. */
function nextRange(all: readonly SearchedRun[], from: number, after: number): RunsToScan {
  const rows = (at: number): number => Math.max((all[at]?.listed ?? 0) - (at === from ? after : 0), 0);
  let [count, sum] = [1, rows(from)];
  while (from > 0 && from + count < all.length && sum + rows(from + count) <= ROWS_AT_ONCE) {
    sum += rows(from + count);
    count += 1;
  }
  const to = sum > ROWS_AT_ONCE ? after + ROWS_AT_ONCE : (all[from + count - 1]?.listed ?? 0);
  return { all, from, count, after, to };
}

/** Returns the range with which a scan begins or is continued; undefined: nothing is left. A run that was deleted since is continued by the next older one. */
function firstRange(all: readonly SearchedRun[], after: ScanPosition | undefined): RunsToScan | undefined {
  if (after === undefined) return all.length === 0 ? undefined : nextRange(all, 0, 0);
  const index = all.findIndex(({ id }) => id <= after.runId);
  const run = all[index];
  if (run === undefined) return undefined;
  return run.id === after.runId ? rangeAfter(all, { run, number: after.number }) : nextRange(all, index, 0);
}

/** Returns the range after a page; undefined: nothing is left. */
function rangeAfter(
  all: readonly SearchedRun[],
  { run, number }: { readonly run: SearchedRun; readonly number: number },
): RunsToScan | undefined {
  const index = all.indexOf(run);
  if (number < run.listed) return nextRange(all, index, number);
  return index + 1 < all.length ? nextRange(all, index + 1, 0) : undefined;
}

/** Returns the last page of a range. */
function endOf({ all, from, count, to }: RunsToScan) {
  const run = all[from + count - 1];
  return run && { run, number: to };
}

/** A text that returns is read once: its first version with a body stands for the others. */
function searchedPage(position: ScanPosition, readings: readonly PlacedReading[]): SearchedPage {
  const bodyOf = new Map<string, PlacedReading>();
  for (const reading of readings)
    if (reading.hasMarkdown && reading.text !== undefined && !bodyOf.has(reading.text))
      bodyOf.set(reading.text, reading);
  const { versions } = pageHistoryOf(readings);
  return {
    position,
    newest: readings.findLast(isGood) ?? readings.at(-1),
    versions: versions.map((version) => ({ ...version, body: bodyOf.get(version.first.text ?? '') })),
  };
}

/** Returns the intervals of versions in a row that match, oldest first. */
function intervalsOf(versions: readonly SearchedVersion[], matches: Matches): FoundInterval[] {
  const intervals: FoundInterval[] = [];
  let isOpen = false;
  for (const { first, last, since, body } of versions) {
    const match = body && matches.get(body.pageId);
    const open = isOpen ? intervals.at(-1) : undefined;
    if (match === undefined) {
      if (open !== undefined) open.goneAt = first.crawledAt;
    } else if (open === undefined) {
      intervals.push({ first: toReadingRef(first), last: toReadingRef(last), since, ...match });
    } else {
      Object.assign(open, { last: toReadingRef(last), ...match });
    }
    isOpen = match !== undefined;
  }
  return intervals;
}

/** Whether an interval is not over before `since`, and begins at `until` at the latest. */
const isWithin =
  (since: Date | undefined, until: Date | undefined) =>
  ({ since: from, goneAt }: FoundInterval): boolean =>
    (since === undefined || goneAt === undefined || goneAt > since) &&
    (until === undefined || from === undefined || from <= until);
