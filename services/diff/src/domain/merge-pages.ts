import type { KnownPage, PageReading } from './page-reading.ts';
import { observationOf } from './page-reading.ts';

/** A page key with its known state and its reading in the run. At least one is present. */
export interface PagePair {
  readonly pageKey: string;
  readonly known?: KnownPage;
  readonly current?: PageReading;
}

interface Keyed {
  readonly pageKey: string;
}

/** Merge-joins known pages and readings, both sorted by key. Holds one batch of each in memory. */
export async function* mergePages(
  known: AsyncIterable<readonly KnownPage[]>,
  current: AsyncIterable<readonly PageReading[]>,
): AsyncGenerator<PagePair> {
  const knownRows = onePerKey(known, (page) => page);
  const currentRows = onePerKey(current, betterReading);
  let nextKnown = (await knownRows.next()).value;
  let nextCurrent = (await currentRows.next()).value;
  for (;;) {
    const pair = firstPair(nextKnown, nextCurrent);
    if (pair === undefined) return;
    yield pair;
    if (pair.known !== undefined) nextKnown = (await knownRows.next()).value;
    if (pair.current !== undefined) nextCurrent = (await currentRows.next()).value;
  }
}

/** Returns the pair of the lower key of the two next rows. @returns undefined at the end of both sides */
function firstPair(known: KnownPage | undefined, current: PageReading | undefined): PagePair | undefined {
  if (current === undefined) return known && { pageKey: known.pageKey, known };
  if (known === undefined || current.pageKey < known.pageKey) return { pageKey: current.pageKey, current };
  if (known.pageKey < current.pageKey) return { pageKey: known.pageKey, known };
  return { pageKey: current.pageKey, known, current };
}

/** Merges rows with one key. @throws RangeError if rows are out of order */
async function* onePerKey<Row extends Keyed>(
  batches: AsyncIterable<readonly Row[]>,
  choose: (a: Row, b: Row) => Row,
): AsyncGenerator<Row, undefined> {
  let pending: Row | undefined;
  for await (const batch of batches)
    for (const row of batch) {
      if (pending === undefined) pending = row;
      else if (pending.pageKey === row.pageKey) pending = choose(pending, row);
      else {
        if (row.pageKey < pending.pageKey)
          throw new RangeError(`rows out of order: ${row.pageKey} after ${pending.pageKey}`);
        yield pending;
        pending = row;
      }
    }
  if (pending !== undefined) yield pending;
  return undefined;
}

/**
 * Chooses between two URLs of one page (http and https, with and without a trailing slash): a good reading first, then
 * the earlier capture.
 */
function betterReading(a: PageReading, b: PageReading): PageReading {
  const requestedKeys = [...new Set([...a.requestedKeys, ...b.requestedKeys])];
  const [isGoodA, isGoodB] = [observationOf(a) === 'read', observationOf(b) === 'read'];
  const isA = isGoodA === isGoodB ? a.pageId <= b.pageId : isGoodA;
  return { ...(isA ? a : b), requestedKeys };
}
