/** Pages of a run from which its repeated blocks are learned: the first that end. */
export const SAMPLE_PAGES = 200;
/** Fewer different pages say nothing about a site. */
const MIN_PAGES = 5;
/** A block of boilerplate is on at least this many pages of the sample, also as a share of them. */
const MIN_REPEATS = 3;
const MIN_SHARE = 0.3;
/** The most frequent blocks that are passed to the workers. */
const BLOCKS_CAP = 256;
const KEY_BYTES = 4;

/**
 * Returns the keys of the blocks that repeat over the pages of a site, four bytes each, the most frequent first. Pages
 * with equal blocks count once: they are the same page at several URLs.
 * @param pages the keys of the blocks of each page
 * @returns undefined if there are too few pages
 */
export function repeatedBlocksOf(pages: readonly Buffer[]): Buffer | undefined {
  const distinct = new Map(pages.slice(0, SAMPLE_PAGES).map((page) => [page.toString('latin1'), page]));
  distinct.delete('');
  if (distinct.size < MIN_PAGES) return undefined;
  const counts = new Map<number, number>();
  for (const page of distinct.values()) for (const key of keysOf(page)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const needed = Math.max(MIN_REPEATS, distinct.size * MIN_SHARE);
  const repeated = [...counts].filter(([, count]) => count >= needed);
  repeated.sort(([key, count], [otherKey, otherCount]) => otherCount - count || key - otherKey);
  const blocks = Buffer.alloc(Math.min(repeated.length, BLOCKS_CAP) * KEY_BYTES);
  for (const [at, [key]] of repeated.slice(0, BLOCKS_CAP).entries()) blocks.writeUInt32LE(key, at * KEY_BYTES);
  return blocks;
}

function keysOf(page: Buffer): Set<number> {
  const keys = new Set<number>();
  for (let at = 0; at + KEY_BYTES <= page.length; at += KEY_BYTES) keys.add(page.readUInt32LE(at));
  return keys;
}
