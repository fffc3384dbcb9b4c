import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { CallContext, Peer } from '@tidemark/service';
import { sightOf } from '../record/page-reading.ts';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { KnownStore } from '../store/known-store.ts';
import { toReading } from './page-reading.ts';
import { SelectorTally } from './selector-tally.ts';

const PAGES_AT_ONCE = 1_000;
const ASK_MS = 30_000;

/** What the pages of a run say of it as a whole. */
export interface Gathered {
  readonly pages: number;
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

/**
 * Keeps what a run read where it can be gone through in the order of its pages' keys. Safe to repeat.
 * @returns what there is, which may be less than the run had while rows are on their way
 */
export async function gatherPages(
  { archive, store }: GatherDeps,
  { runId, projectId }: RunFinished,
  config: Readonly<Record<string, unknown>>,
  call: CallContext,
): Promise<Gathered> {
  const ignoreQuery = new Set(namesIn(config['ignore_query']));
  const tally = new SelectorTally(config);
  const found = { pages: 0, isSeedRead: false, inSitemap: 0, robotsUnread: 0 };
  await store.dropReadings(runId);
  for (let after = 0, isMore = true; isMore; ) {
    const asked = {
      run: { runId, projectId },
      q: '',
      verdict: '',
      flag: '',
      after,
      limit: PAGES_AT_ONCE,
      bodies: [],
    };
    const answer = await archive.call(Archive.queryPages, asked, call, { deadlineMs: ASK_MS });
    const rows = answer.pages.flatMap((page) => {
      const reading = toReading(page, runId, ignoreQuery);
      return reading === undefined ? [] : [{ number: page.known?.number ?? 0, reading, page }];
    });
    if (rows.length === 0) break;
    await store.putReadings(runId, rows);
    for (const { reading, page } of rows) {
      found.pages += 1;
      if (page.known?.foundVia === 'seed' && sightOf(reading) === 'read') found.isSeedRead = true;
      if (page.known?.inSitemap === true) found.inSitemap += 1;
      if (reading.verdict === 'robots' && ROBOTS_UNREAD.test(page.page?.row?.reason ?? '')) found.robotsUnread += 1;
      if (sightOf(reading) === 'read') tally.see(reading, page.page?.row?.matched);
    }
    after = answer.last;
    isMore = answer.isMore;
  }
  return { ...found, selectors: tally.stats() };
}

const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
