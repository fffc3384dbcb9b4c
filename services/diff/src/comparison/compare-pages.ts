import { BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, PageDelta } from '../domain/page-delta.ts';
import { alignBlocks } from './align-blocks.ts';
import { ChangeWriter, type IsVolatile, type Readings, totalsOf } from './block-changes.ts';
import { compareHead } from './compare-head.ts';
import { Deadline, OutOfTime } from './deadline.ts';
import { degradedDelta } from './degraded-delta.ts';
import { markRotatingLinks } from './link-changes.ts';
import { changesOfUnmatched, type PositionedChange } from './unmatched-changes.ts';

/** Time limit of a comparison; its result is degraded after that. */
export const COMPARISON_MS = 5_000;

export interface CompareOptions {
  readonly deadlineMs: number;
  /** Returns whether a block is known to be volatile: such blocks are listed but not counted. */
  readonly isVolatile?: IsVolatile | undefined;
  readonly now?: () => number;
}

/**
 * Compares two readings of a page. Aligns blocks by hash and compares words only inside edited blocks. White space,
 * markup and attribute order are no change. Returns a degraded delta (replaced blocks without words inside) soon after
 * the deadline.
 */
export function comparePages(before: PageBlocks, after: PageBlocks, options: CompareOptions): PageDelta {
  const readings: Readings = { before, after, isVolatile: options.isVolatile ?? (() => false) };
  const deadline = new Deadline(options.deadlineMs, options.now);
  try {
    return deltaOf(readings, deadline);
  } catch (error) {
    if (error instanceof OutOfTime) return degradedDelta(readings);
    throw error;
  }
}

function deltaOf(readings: Readings, deadline: Deadline): PageDelta {
  const { before, after } = readings;
  const alignment = alignBlocks(before, after, deadline);
  const writer = new ChangeWriter(readings);
  const moved = alignment.moved.flatMap(([from, to]): PositionedChange[] => {
    const [old, now] = [before.blocks[from], after.blocks[to]];
    return old && now ? [{ change: writer.moved(old, now), position: to, order: -1 }] : [];
  });
  const unmatched = changesOfUnmatched(alignment, writer, deadline);
  const ordered = inOrder([...moved, ...unmatched.changes]);
  const blocks = markRotatingLinks(ordered.map(({ change }) => change));
  const fields = compareHead(before, after);
  return {
    ...totalsOf(blocks),
    blocks,
    positions: ordered.map(({ position }) => position),
    fields,
    isReordered: isReordered(blocks, readings) && fields.length === 0,
    isDegraded: unmatched.isDegraded,
  };
}

const inOrder = (changes: readonly PositionedChange[]): PositionedChange[] =>
  changes.toSorted((a, b) => a.position - b.position || a.order - b.order);

/** On a page with at most this many blocks the order is content. */
const FEW_BLOCKS = 4;
/** A row that starts with its rank. */
const RANKED = /^\W{0,2}\d/;

/** Whether only the order of blocks differs and the order is not content. */
function isReordered(blocks: readonly BlockChange[], { after }: Readings): boolean {
  const counted = blocks.filter(({ isVolatile }) => isVolatile !== true);
  if (counted.length === 0 || counted.some(({ op }) => op !== 'moved')) return false;
  const isRank = ({ after: row }: BlockChange): boolean =>
    row?.kind === BlockKind.BLOCK_KIND_ROW && RANKED.test(row.text);
  if (counted.some(isRank)) return false;
  if (!counted.some(({ after: block }) => block?.landmark === Landmark.LANDMARK_MAIN)) return true;
  return after.blocks.filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN).length > FEW_BLOCKS;
}
