import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, PageDelta } from '../domain/page-delta.ts';
import { keyOf } from './align-blocks.ts';
import { ChangeWriter, type Readings, totalsOf } from './block-changes.ts';
import { compareFields } from './compare-fields.ts';

/** Beyond these, replaced blocks are counted and not told: whoever gets such an answer does not read more of it. */
const TOLD_CAP = 2_000;
/** Bytes of a pair beyond which even this takes its time: it is said first, and on another thread. */
export const LARGE_BYTES = 256 * 1_024;

/** What two readings differ in where there was no time to compare them: which blocks the other has not, in one look at each. */
export function degradedDelta(readings: Readings): PageDelta {
  const { before, after } = readings;
  const [gone, come] = [withoutEqual(before, after), withoutEqual(after, before)];
  const writer = new ChangeWriter(readings);
  const blocks = Array.from(
    { length: Math.max(gone.length, come.length) },
    (_, at): BlockChange => writer.replaced(gone[at], come[at]),
  );
  const fields = compareFields(before, after);
  return { ...totalsOf(blocks), blocks: blocks.slice(0, TOLD_CAP), fields, isReordered: false, isDegraded: true };
}

/** Blocks that the other reading has fewer of. */
function withoutEqual(reading: PageBlocks, other: PageBlocks): Block[] {
  const there = new Map<string, number>();
  for (const block of other.blocks) there.set(keyOf(block), (there.get(keyOf(block)) ?? 0) + 1);
  return reading.blocks.filter((block) => {
    const left = there.get(keyOf(block)) ?? 0;
    there.set(keyOf(block), left - 1);
    return left <= 0;
  });
}
