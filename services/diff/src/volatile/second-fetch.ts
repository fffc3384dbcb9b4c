import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf } from '../record/page-key.ts';
import { type PageReading, sightOf } from '../record/page-reading.ts';
import { type Learned, type LearnedChanges, Volatility } from './volatility.ts';

/** Pages of one folder, and of a run, that are fetched a second time at most. */
const PER_FOLDER = 5;
const PER_RUN = 50;
/** Two fetches closer than this may get the same answer from a cache on the way. */
export const SECOND_FETCH_AFTER_SECONDS = 30;
/** Two fetches further apart than this may differ because somebody has changed the page. */
export const SECOND_FETCH_WITHIN_SECONDS = 600;

/** A page fetched twice within minutes: how the second differs from the first. */
export interface SecondFetch {
  readonly pageKey: string;
  /** Where in the markup the page has its blocks: `sketchAnchors` of the second fetch. */
  readonly anchors: readonly number[];
  readonly delta: PageDelta;
}

/**
 * Which pages of a project's first full run are worth a second fetch: a few of each folder, those read last, of those that a plain fetch
 * could read.
 */
export async function pagesToFetchTwice(batches: AsyncIterable<readonly PageReading[]>): Promise<PageReading[]> {
  let chosen: PageReading[] = [];
  for await (const batch of batches)
    for (const page of batch) {
      if (!isPlainlyRead(page)) continue;
      const folder = folderOf(page.pageKey);
      const ofFolder = chosen.filter(({ pageKey }) => folderOf(pageKey) === folder);
      const rivals = ofFolder.length >= PER_FOLDER ? ofFolder : chosen.length >= PER_RUN ? chosen : [];
      const earliest = rivals.reduce((least, one) => (readAt(one) < readAt(least) ? one : least), page);
      if (earliest !== page || rivals.length === 0) chosen = [...chosen.filter((one) => one !== earliest), page];
    }
  return chosen;
}

const readAt = ({ readAtMs = 0 }: PageReading): number => readAtMs;

const isPlainlyRead = (page: PageReading): boolean =>
  sightOf(page) === 'read' && page.method === 'http' && page.isThroughExit !== true && page.comparedHash !== '';

/** Whether a page was read so lately that what differs now changes by itself, and was not changed by somebody. */
export const isLatelyRead = ({ readAtMs }: PageReading, nowMs: number): boolean =>
  readAtMs !== undefined && nowMs - readAtMs <= SECOND_FETCH_WITHIN_SECONDS * 1_000;

/** What two fetches of the same pages teach: whatever differed between them changes by itself. */
export function learnFromSecondFetches(learned: Learned, pages: Iterable<SecondFetch>): LearnedChanges {
  const volatility = new Volatility(learned);
  for (const { pageKey, anchors, delta } of pages)
    volatility.observeTwice(volatility.templates.idOf(folderOf(pageKey), anchors), delta);
  return volatility.changes();
}
