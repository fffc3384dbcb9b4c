import type { GraphStore } from '../store/ended-runs/graph-store.ts';
import { LinkCounter } from './link-counter.ts';

/** URLs counted in one pass: 16 bytes each. A larger frontier takes several passes over its links. */
const PASS_URLS = 500_000;
const ROWS_AT_ONCE = 2_000;

/**
 * Counts how many pages of a run link to each of its pages. Streams the links; the table of counts has a bounded size. Links to an alias count
 * for its page, and the sources that declare an alias declare its page. Safe to repeat.
 */
export function makeCountInLinks(store: GraphStore, passUrls = PASS_URLS) {
  return async (runNo: bigint): Promise<void> => {
    for (let from: Buffer | undefined = Buffer.alloc(0); from !== undefined; ) {
      const counter = new LinkCounter(passUrls);
      const first: Buffer = from;
      const next = await loadKeys(store, runNo, first, counter, passUrls);
      if (counter.size === 0) return;
      await store.eachLinks(runNo, ROWS_AT_ONCE, (number, links) => counter.count(number, links));
      await store.writeInLinks(runNo, first, next, ROWS_AT_ONCE, (key) => counter.linksTo(key));
      from = next;
    }
    await store.creditAliases(runNo);
    await store.creditAliasSources(runNo);
  };
}

/** Fills the counter from `from` on. @returns the first key that did not fit; undefined if all did */
async function loadKeys(
  store: GraphStore,
  runNo: bigint,
  from: Buffer,
  counter: LinkCounter,
  most: number,
): Promise<Buffer | undefined> {
  for (let at = from; ; ) {
    const keys = await store.keysFrom(runNo, at, ROWS_AT_ONCE);
    for (const key of keys) {
      if (counter.size === most) return key;
      counter.add(key);
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < ROWS_AT_ONCE) return undefined;
    at = Buffer.concat([last, Buffer.from([0])]);
  }
}
