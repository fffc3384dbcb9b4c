import { setTimeout as nap } from 'node:timers/promises';
import {
  ArchiveServiceService as Archive,
  type ArchivedPage,
  type ProjectRun,
  type QueryPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { CallContext, Peer } from '@tidemark/service';
import { sightOf } from '../record/page-reading.ts';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { Gathering, KnownStore } from '../store/known-store.ts';
import { toReading } from './page-reading.ts';
import { readForRun } from './read-wish.ts';
import { SelectorTally } from './selector-tally.ts';

const PAGES_AT_ONCE = 500;
const ASK_MS = 30_000;
/** Longest that a run whose pages are being listed is waited for; then it is looked at again. */
const LISTED_WITHIN_MS = 3_000;
const NAP_MS = 50;
const EVERY_PAGE = { q: '', verdict: '', flag: '', bodies: [] };

/** What the pages of a run say of it as a whole. */
export interface Gathered {
  readonly pages: number;
  /** Of a run without a seed: any page. */
  readonly isSeedRead: boolean;
  readonly inSitemap: number;
  /** Pages kept out by a robots.txt that could not be read. */
  readonly robotsUnread: number;
  readonly selectors: readonly SelectorStats[];
}

export interface GatherDeps {
  readonly archive: Peer;
  readonly store: KnownStore;
}

/** What the archive says of a page whose robots.txt gave no answer. */
const ROBOTS_UNREAD = /robots\.txt could not be read|robots\.txt .*no answer/i;

/** Longest time the archive waits for the events of a run before it responds, ms. */
const ARCHIVE_WAIT_MS = 1_000;

/** A run that has ended, as the archive is asked for it: with all its pages, though their events may not have arrived there yet. */
const listedRun = ({ runId, projectId, pages }: RunFinished): ProjectRun => ({
  runId,
  projectId,
  expected: { pages, hasEnded: true, waitMs: ARCHIVE_WAIT_MS },
});

/** A number behind the last page of any run. */
const BEHIND_THE_END = 2_147_483_647;

/** Whether the archive has listed every page of a run that it ever will, with all that is known of it. */
export async function isWhollyListed(archive: Peer, finished: RunFinished, call: CallContext): Promise<boolean> {
  const asked = { ...EVERY_PAGE, run: listedRun(finished), after: BEHIND_THE_END, limit: 1 };
  for (const until = performance.now() + LISTED_WITHIN_MS; ; ) {
    const askedAtMs = performance.now();
    const { isMore } = await archive.call(Archive.queryPages, asked, call, { deadlineMs: ASK_MS });
    if (!isMore || performance.now() > until) return !isMore;
    // An answer that took its time has listed some more; one that came at once waits for what is still on its way.
    if (performance.now() - askedAtMs < NAP_MS) await nap(NAP_MS);
  }
}

/** The run's pages as the archive has them; the next are asked for while somebody works on some. */
async function* pagesOf(archive: Peer, run: ProjectRun, call: CallContext): AsyncGenerator<readonly ArchivedPage[]> {
  const ask = (after: number): Promise<QueryPagesResponse> => {
    const asked = { ...EVERY_PAGE, run, after, limit: PAGES_AT_ONCE };
    const answer = archive.call(Archive.queryPages, asked, call, { deadlineMs: ASK_MS });
    // The failure is thrown where it is awaited, in its turn.
    answer.catch(() => {});
    return answer;
  };
  for (let next: Promise<QueryPagesResponse> | undefined = ask(0); next !== undefined; ) {
    const { pages, last, isMore }: QueryPagesResponse = await next;
    next = isMore && pages.length > 0 ? ask(last) : undefined;
    yield pages;
  }
}

/** Keeps what a run read where it can be gone through in the order of its pages' keys. */
export async function gatherPages(
  { archive, store }: GatherDeps,
  claim: Gathering,
  config: Readonly<Record<string, unknown>>,
  call: CallContext,
): Promise<Gathered> {
  const { runId } = claim.run;
  const readFor = readForRun(runId, config);
  const tally = new SelectorTally(config);
  const hasSeed = visitsSeed(config);
  const found = { pages: 0, isSeedRead: false, inSitemap: 0, robotsUnread: 0 };
  for await (const pages of pagesOf(archive, listedRun(claim.run), call)) {
    const rows = pages.flatMap((page) => {
      const reading = toReading(page, readFor);
      return reading === undefined ? [] : [{ number: page.known?.number ?? 0, reading, page }];
    });
    if (rows.length === 0) continue;
    await store.putReadings(claim, rows);
    for (const { reading, page } of rows) {
      found.pages += 1;
      if ((!hasSeed || page.known?.foundVia === 'seed') && sightOf(reading) === 'read') found.isSeedRead = true;
      if (page.known?.inSitemap === true) found.inSitemap += 1;
      if (reading.verdict === 'robots' && ROBOTS_UNREAD.test(page.page?.row?.reason ?? '')) found.robotsUnread += 1;
      if (sightOf(reading) === 'read') tally.see(reading, page.page?.row?.matched);
    }
  }
  return { ...found, selectors: tally.stats() };
}

/** A run of listed or declared pages alone has no seed: any page that was read shows that the site answers. */
const visitsSeed = (config: Readonly<Record<string, unknown>>): boolean =>
  config['crawl_mode'] !== 'list_only' && config['crawl_mode'] !== 'sitemap_only' && config['sitemap_mode'] !== 'only';
