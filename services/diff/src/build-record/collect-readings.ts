import { setTimeout as sleep } from 'node:timers/promises';
import {
  ArchiveServiceService as Archive,
  type ArchivedPage,
  type ProjectRun,
  type QueryPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { CallContext, Peer } from '@tidemark/service';
import { readingContextOf } from '../captures/run-capture-options.ts';
import { toPageReading } from '../captures/to-page-reading.ts';
import { observationOf } from '../domain/page-reading.ts';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { KnownPageStore, ReadingsClaim } from '../store/known-page-store.ts';
import { SelectorMatchCounter } from './selector-match-counter.ts';

const PAGE_SIZE = 500;
const CALL_TIMEOUT_MS = 30_000;
/** Longest that a run whose pages are being listed is waited for; then it is looked at again. */
const LISTING_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 50;
const ALL_PAGES = { q: '', verdict: '', flag: '', bodies: [] };

/** What the pages of a run say of it as a whole. */
export interface CollectedReadings {
  readonly pages: number;
  /** Of a run without a seed: any page. */
  readonly isSeedRead: boolean;
  readonly inSitemap: number;
  /** Pages kept out by a robots.txt that could not be read. */
  readonly robotsUnread: number;
  readonly selectors: readonly SelectorStats[];
}

export interface CollectDeps {
  readonly archive: Peer;
  readonly knownPages: KnownPageStore;
}

/** What the archive says of a page whose robots.txt gave no answer. */
const ROBOTS_UNREAD = /robots\.txt could not be read|robots\.txt .*no answer/i;

/** A number behind the last page of any run. */
const BEYOND_LAST_NUMBER = 2_147_483_647;

/** Whether the archive has listed every page of a run that it ever will, with all that is known of it. */
export async function isFullyListed(
  archive: Peer,
  { runId, projectId }: RunFinished,
  call: CallContext,
): Promise<boolean> {
  const query = { ...ALL_PAGES, run: { runId, projectId }, after: BEYOND_LAST_NUMBER, limit: 1 };
  for (const deadline = performance.now() + LISTING_WAIT_MS; ; ) {
    const startedAtMs = performance.now();
    const { isMore } = await archive.call(Archive.queryPages, query, call, { deadlineMs: CALL_TIMEOUT_MS });
    if (!isMore || performance.now() > deadline) return !isMore;
    // An answer that took its time has listed some more; one that came at once waits for what is still on its way.
    if (performance.now() - startedAtMs < POLL_INTERVAL_MS) await sleep(POLL_INTERVAL_MS);
  }
}

/** The run's pages as the archive has them; the next are asked for while somebody works on some. */
async function* listPages(archive: Peer, run: ProjectRun, call: CallContext): AsyncGenerator<readonly ArchivedPage[]> {
  const request = (after: number): Promise<QueryPagesResponse> => {
    const query = { ...ALL_PAGES, run, after, limit: PAGE_SIZE };
    const response = archive.call(Archive.queryPages, query, call, { deadlineMs: CALL_TIMEOUT_MS });
    // The failure is thrown where it is awaited, in its turn.
    response.catch(() => {});
    return response;
  };
  for (let next: Promise<QueryPagesResponse> | undefined = request(0); next !== undefined; ) {
    const { pages, last, isMore }: QueryPagesResponse = await next;
    next = isMore && pages.length > 0 ? request(last) : undefined;
    yield pages;
  }
}

/** Keeps what a run read where it can be gone through in the order of its pages' keys. */
export async function collectReadings(
  { archive, knownPages }: CollectDeps,
  claim: ReadingsClaim,
  config: Readonly<Record<string, unknown>>,
  call: CallContext,
): Promise<CollectedReadings> {
  const { runId, projectId } = claim.run;
  const readingContext = readingContextOf(runId, config);
  const selectorMatches = new SelectorMatchCounter(config);
  const hasSeed = crawlsFromSeed(config);
  const totals = { pages: 0, isSeedRead: false, inSitemap: 0, robotsUnread: 0 };
  for await (const pages of listPages(archive, { runId, projectId }, call)) {
    const rows = pages.flatMap((page) => {
      const reading = toPageReading(page, readingContext);
      return reading === undefined ? [] : [{ number: page.known?.number ?? 0, reading, page }];
    });
    if (rows.length === 0) continue;
    await knownPages.insertReadings(claim, rows);
    for (const { reading, page } of rows) {
      totals.pages += 1;
      if ((!hasSeed || page.known?.foundVia === 'seed') && observationOf(reading) === 'read') totals.isSeedRead = true;
      if (page.known?.inSitemap === true) totals.inSitemap += 1;
      if (reading.verdict === 'robots' && ROBOTS_UNREAD.test(page.page?.row?.reason ?? '')) totals.robotsUnread += 1;
      if (observationOf(reading) === 'read') selectorMatches.add(reading, page.page?.row?.matched);
    }
  }
  return { ...totals, selectors: selectorMatches.stats() };
}

/** A run of listed or declared pages alone has no seed: any page that was read shows that the site answers. */
const crawlsFromSeed = (config: Readonly<Record<string, unknown>>): boolean =>
  config['crawl_mode'] !== 'list_only' && config['crawl_mode'] !== 'sitemap_only' && config['sitemap_mode'] !== 'only';
