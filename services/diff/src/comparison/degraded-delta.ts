import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, PageDelta } from '../domain/page-delta.ts';
import { keyOf } from './align-blocks.ts';
import { ChangeWriter, type Readings, totalsOf } from './block-changes.ts';
import { compareHead } from './compare-head.ts';

/** Maximum number of replaced blocks that are listed; further ones are counted only. */
const MAX_LISTED_BLOCKS = 2_000;
/**
 * Size of a pair above which even the degraded result takes noticeable time: it is computed first and on another
 * thread.
 */
export const LARGE_BYTES = 256 * 1_024;

/**
 * Returns the difference of two readings without alignment: the blocks that the other reading lacks, in linear time.
 */
export function degradedDelta(readings: Readings): PageDelta {
  const { before, after } = readings;
  const [removed, added] = [unmatchedBlocks(before, after), unmatchedBlocks(after, before)];
  const writer = new ChangeWriter(readings);
  const blocks = Array.from(
    { length: Math.max(removed.length, added.length) },
    (_, at): BlockChange => writer.replaced(removed[at], added[at]),
  );
  const fields = compareHead(before, after);
  return {
    ...totalsOf(blocks),
    blocks: blocks.slice(0, MAX_LISTED_BLOCKS),
    fields,
    isReordered: false,
    isDegraded: true,
  };
}

/** Returns the blocks that the other reading has fewer of. */
function unmatchedBlocks(reading: PageBlocks, other: PageBlocks): Block[] {
  const remaining = new Map<string, number>();
  for (const block of other.blocks) remaining.set(keyOf(block), (remaining.get(keyOf(block)) ?? 0) + 1);
  return reading.blocks.filter((block) => {
    const count = remaining.get(keyOf(block)) ?? 0;
    remaining.set(keyOf(block), count - 1);
    return count <= 0;
  });
}
