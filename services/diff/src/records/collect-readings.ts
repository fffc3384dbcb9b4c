import { setTimeout as sleep } from 'node:timers/promises';
import {
  ArchiveServiceService as Archive,
  type ArchivedPage,
  type ProjectRun,
  type QueryPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Settings } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import { observationOf, type PageReading } from '../domain/page-reading.ts';
import { readingContextOf } from '../readings/run-capture-options.ts';
import { toPageReading } from '../readings/to-page-reading.ts';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { KnownPageStore, ReadingsClaim } from '../store/known-page-store.ts';
import { SelectorMatchCounter } from './selector-match-counter.ts';

const PAGE_SIZE = 500;
const CALL_TIMEOUT_MS = 30_000;
/** Maximum wait for the archive to finish listing a run, ms; then the record is deferred. */
const LISTING_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 50;
const ALL_PAGES = { q: '', bodies: [] };

/** Totals over the pages of a run. */
export interface CollectedReadings {
  readonly pages: number;
  /** Whether the seed was readable; for a run without a seed, whether any page was. */
  readonly isSeedRead: boolean;
  readonly inSitemap: number;
  /** Pages blocked by a robots.txt that could not be read. */
  readonly robotsUnread: number;
  readonly selectors: readonly SelectorStats[];
}

export interface ListingDeps {
  readonly archive: Peer;
  /** Maximum wait for the archive to finish listing a run, ms; default 3,000. */
  readonly listingWaitMs?: number | undefined;
}

export interface CollectDeps {
  readonly archive: Peer;
  readonly knownPages: KnownPageStore;
}

/** Archive reason of a page whose robots.txt did not respond. */
const ROBOTS_UNREAD = /robots\.txt could not be read|robots\.txt .*no (?:answer|response)/i;

/** Above the number of any page. */
const BEYOND_LAST_NUMBER = 2_147_483_647;

/** Maximum time that the archive waits for the events of a run before it responds, ms. */
const ARCHIVE_WAIT_MS = 1_000;

/** Refers to a finished run with all its pages, whose events the archive may not have received yet. */
const finishedRun = ({ runId, projectId, pages }: RunFinished): ProjectRun => ({
  runId,
  projectId,
  expected: { pages, hasEnded: true, waitMs: ARCHIVE_WAIT_MS },
});

/**
 * Returns whether the archive has listed every page of the run with its final link data. Polls for up to `listingWaitMs`.
 */
export async function isFullyListed(
  { archive, listingWaitMs = LISTING_WAIT_MS }: ListingDeps,
  finished: RunFinished,
  call: CallContext,
): Promise<boolean> {
  const query = { ...ALL_PAGES, run: finishedRun(finished), after: BEYOND_LAST_NUMBER, limit: 1 };
  for (const deadline = performance.now() + listingWaitMs; ; ) {
    const startedAtMs = performance.now();
    const { isMore } = await archive.call(Archive.queryPages, query, call, { deadlineMs: CALL_TIMEOUT_MS });
    if (!isMore || performance.now() > deadline) return !isMore;
    // A slow response has listed further pages itself; a fast one means that page events are still in transit.
    if (performance.now() - startedAtMs < POLL_INTERVAL_MS) await sleep(POLL_INTERVAL_MS);
  }
}

/** Yields the run's pages from the archive. Requests the next batch while the current one is processed. */
async function* listPages(archive: Peer, run: ProjectRun, call: CallContext): AsyncGenerator<readonly ArchivedPage[]> {
  const request = (after: number): Promise<QueryPagesResponse> => {
    const query = { ...ALL_PAGES, run, after, limit: PAGE_SIZE };
    const response = archive.call(Archive.queryPages, query, call, { deadlineMs: CALL_TIMEOUT_MS });
    // Avoids an unhandled rejection; the error is thrown where the response is awaited.
    response.catch(() => {});
    return response;
  };
  for (let next: Promise<QueryPagesResponse> | undefined = request(0); next !== undefined; ) {
    const { pages, last, isMore }: QueryPagesResponse = await next;
    next = isMore && pages.length > 0 ? request(last) : undefined;
    yield pages;
  }
}

/** Stores the readings of a run, so that they can be read in key order, and returns their totals. */
export async function collectReadings(
  { archive, knownPages }: CollectDeps,
  claim: ReadingsClaim,
  { config, baseline }: { readonly config: Settings; readonly baseline: readonly SelectorStats[] },
  call: CallContext,
): Promise<CollectedReadings> {
  const { runId } = claim.run;
  const readingContext = readingContextOf(runId, config);
  const selectorMatches = new SelectorMatchCounter(config, baseline);
  const hasSeed = crawlsFromSeed(config);
  const totals = { pages: 0, isSeedRead: false, inSitemap: 0, robotsUnread: 0 };
  for await (const pages of listPages(archive, finishedRun(claim.run), call)) {
    const rows = pages.flatMap((page) => {
      const reading = toPageReading(page, readingContext);
      return reading === undefined ? [] : [{ number: page.known?.number ?? 0, reading, page }];
    });
    if (rows.length === 0) continue;
    await knownPages.insertReadings(claim, rows);
    totals.pages += rows.length;
    totals.inSitemap += rows.filter(({ page }) => page.known?.inSitemap === true).length;
    totals.robotsUnread += rows.filter(isRobotsUnread).length;
    const read = rows.filter(({ reading }) => observationOf(reading) === 'read');
    totals.isSeedRead ||= read.some(({ page }) => !hasSeed || page.known?.foundVia === 'seed');
    for (const { reading, page } of read) selectorMatches.add(reading, page.page?.row?.matched);
  }
  return { ...totals, selectors: selectorMatches.stats() };
}

const isRobotsUnread = ({ reading, page }: { readonly reading: PageReading; readonly page: ArchivedPage }): boolean =>
  reading.verdict === 'robots' && ROBOTS_UNREAD.test(page.page?.row?.reason ?? '');

/** Runs in list or sitemap mode have no seed; any readable page then shows that the site responds. */
const crawlsFromSeed = ({ crawl_mode: crawlMode, sitemap_mode: sitemapMode }: Settings): boolean =>
  crawlMode !== 'list_only' && crawlMode !== 'sitemap_only' && sitemapMode !== 'only';
