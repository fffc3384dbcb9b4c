import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf } from '../record/page-key.ts';
import { type PageReading, sightOf } from '../record/page-reading.ts';
import { type Learned, type LearnedChanges, Volatility } from './volatility.ts';

/** Pages of one folder, and of a run, that are fetched a second time at most. */
const PER_FOLDER = 5;
const PER_RUN = 50;
/** Two fetches closer than this may get the same answer from a cache on the way. */
export const SECOND_FETCH_AFTER_SECONDS = 30;

/** A page fetched twice within minutes: how the second differs from the first. */
export interface SecondFetch {
  readonly pageKey: string;
  /** Where in the markup the page has its blocks: `sketchAnchors` of the second fetch. */
  readonly anchors: readonly number[];
  readonly delta: PageDelta;
}

/**
 * Which pages of a project's first full run are worth a second fetch: a few of each folder, the first by their keys, of those that a plain
 * fetch could read.
 */
export async function pagesToFetchTwice(batches: AsyncIterable<readonly PageReading[]>): Promise<PageReading[]> {
  const perFolder = new Map<string, number>();
  const chosen: PageReading[] = [];
  for await (const batch of batches)
    for (const page of batch) {
      const folder = folderOf(page.pageKey);
      const taken = perFolder.get(folder) ?? 0;
      if (taken >= PER_FOLDER || !isPlainlyRead(page)) continue;
      perFolder.set(folder, taken + 1);
      if (chosen.push(page) >= PER_RUN) return chosen;
    }
  return chosen;
}

const isPlainlyRead = (page: PageReading): boolean =>
  sightOf(page) === 'read' && page.method === 'http' && page.comparedHash !== '';

/** What two fetches of the same pages teach: whatever differed between them changes by itself. */
export function learnFromSecondFetches(learned: Learned, pages: Iterable<SecondFetch>): LearnedChanges {
  const volatility = new Volatility(learned);
  for (const { pageKey, anchors, delta } of pages)
    volatility.observeTwice(volatility.templates.idOf(folderOf(pageKey), anchors), delta);
  return volatility.changes();
}
