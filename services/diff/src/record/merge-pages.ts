import type { KnownPage, PageReading } from './page-reading.ts';
import { sightOf } from './page-reading.ts';

/** One page key: what is known of it, what the run read of it. At least one of them is there. */
export interface PagePair {
  readonly pageKey: string;
  readonly known?: KnownPage;
  readonly current?: PageReading;
}

interface Keyed {
  readonly pageKey: string;
}

/** Joins known pages and the pages of a run, both in the order of their keys, holding one batch of each. */
export async function* mergePages(
  known: AsyncIterable<readonly KnownPage[]>,
  current: AsyncIterable<readonly PageReading[]>,
): AsyncGenerator<PagePair> {
  const left = onePerKey(known, (page) => page);
  const right = onePerKey(current, betterReading);
  let [a, b] = [await left.next(), await right.next()];
  while (a.done !== true || b.done !== true) {
    const known = a.done === true ? undefined : a.value;
    const current = b.done === true ? undefined : b.value;
    if (current === undefined || (known !== undefined && known.pageKey < current.pageKey)) {
      if (known !== undefined) yield { pageKey: known.pageKey, known };
      a = await left.next();
    } else if (known === undefined || current.pageKey < known.pageKey) {
      yield { pageKey: current.pageKey, current };
      b = await right.next();
    } else {
      yield { pageKey: current.pageKey, known, current };
      [a, b] = [await left.next(), await right.next()];
    }
  }
}

/** Applies `work` to up to `atOnce` items at a time and yields what it gives in the order of the items. */
export async function* mapInOrder<In, Out>(
  items: AsyncIterable<In>,
  atOnce: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const waiting: Promise<Out>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // The failure is thrown where it is awaited, in its turn.
      result.catch(() => {});
      waiting.push(result);
      if (waiting.length >= atOnce) yield* settled(waiting.splice(0, 1));
    }
    yield* settled(waiting);
  } finally {
    await Promise.allSettled(waiting);
  }
}

async function* settled<Out>(results: readonly Promise<Out>[]): AsyncGenerator<Out> {
  for (const result of results) yield await result;
}

/** Rows of one key become one; rows out of order are a fault of the reader's. */
async function* onePerKey<Row extends Keyed>(
  batches: AsyncIterable<readonly Row[]>,
  choose: (a: Row, b: Row) => Row,
): AsyncGenerator<Row, undefined> {
  let held: Row | undefined;
  for await (const batch of batches)
    for (const row of batch) {
      if (held === undefined) held = row;
      else if (held.pageKey === row.pageKey) held = choose(held, row);
      else {
        if (row.pageKey < held.pageKey) throw new RangeError(`rows out of order: ${row.pageKey} after ${held.pageKey}`);
        yield held;
        held = row;
      }
    }
  if (held !== undefined) yield held;
  return undefined;
}

/** One page under two addresses (either scheme, with and without a slash): a good reading wins, then the earlier capture. */
function betterReading(a: PageReading, b: PageReading): PageReading {
  const askedKeys = [...new Set([...a.askedKeys, ...b.askedKeys])];
  const [isGoodA, isGoodB] = [sightOf(a) === 'read', sightOf(b) === 'read'];
  const isA = isGoodA === isGoodB ? a.pageId <= b.pageId : isGoodA;
  return { ...(isA ? a : b), askedKeys };
}
