import type { BlockChange } from '../domain/page-delta.ts';
import type { BlockAlignment } from './align-blocks.ts';
import type { ChangeWriter } from './block-changes.ts';
import { type Deadline, OutOfTime } from './deadline.ts';
import { type Pair, pairBlocks } from './pair-blocks.ts';
import { isOverreported, resplit } from './resplit.ts';
import type { UnmatchedBlock } from './unmatched-blocks.ts';
import { diffTokens, type WordDiff } from './word-diff.ts';

/** A change with its sort position: a later block's index, and the order among blocks removed there. */
export interface PositionedChange {
  readonly change: BlockChange;
  readonly position: number;
  readonly order: number;
}

export interface UnmatchedChanges {
  readonly changes: readonly PositionedChange[];
  /** Some edits were not compared word by word. */
  readonly isDegraded: boolean;
}

/** Result for one unmatched block, or for a pair of them. */
interface BlockResult {
  readonly before?: UnmatchedBlock;
  readonly after?: UnmatchedBlock;
  /** For a pair: undefined if there was no time to compare its words. */
  readonly diff?: WordDiff | undefined;
}

/**
 * Returns the changes of unmatched blocks: edited where two are similar, else removed or added.
 * @throws OutOfTime before blocks are paired
 */
export function changesOfUnmatched(
  alignment: BlockAlignment,
  writer: ChangeWriter,
  deadline: Deadline,
): UnmatchedChanges {
  const { unmatchedBefore, unmatchedAfter } = alignment;
  const pairs = pairBlocks(unmatchedBefore, unmatchedAfter, deadline);
  const first = pairedAndUnpaired(pairs, alignment, deadline);
  const results = [...byGap(first).values()].flatMap((gap) => resplitWhereOverreported(gap, deadline));
  const positions = positionsOfRemoved(alignment.same, results);
  return {
    changes: results.flatMap((result) => positionedChange(result, writer, positions)),
    isDegraded: results.some(({ before, after, diff }) => before && after && diff === undefined),
  };
}

function pairedAndUnpaired(
  pairs: readonly Pair[],
  { unmatchedBefore, unmatchedAfter }: BlockAlignment,
  deadline: Deadline,
): BlockResult[] {
  const [old, now] = [new Set(pairs.map(({ before }) => before)), new Set(pairs.map(({ after }) => after))];
  return [
    ...pairs.map(({ before, after }): BlockResult => ({ before, after, diff: diffWithin(before, after, deadline) })),
    ...unmatchedBefore.filter((block) => !old.has(block)).map((before): BlockResult => ({ before })),
    ...unmatchedAfter.filter((block) => !now.has(block)).map((after): BlockResult => ({ after })),
  ];
}

/** Compares the words of a pair; undefined after the deadline. */
function diffWithin(before: UnmatchedBlock, after: UnmatchedBlock, deadline: Deadline): WordDiff | undefined {
  try {
    deadline.check();
    return diffTokens(before.tokens, after.tokens, deadline);
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

/** Groups results by gap; pairs across gaps form their own group. */
function byGap(results: readonly BlockResult[]): Map<number, BlockResult[]> {
  const gaps = new Map<number, BlockResult[]>();
  for (const result of results) {
    const gap =
      result.before && result.after && result.before.gap !== result.after.gap
        ? ACROSS_GAPS
        : (result.before ?? result.after)?.gap;
    const known = gaps.get(gap ?? ACROSS_GAPS);
    if (known === undefined) gaps.set(gap ?? ACROSS_GAPS, [result]);
    else known.push(result);
  }
  return gaps;
}

const ACROSS_GAPS = -1;

/**
 * Compares words across block boundaries where text was split differently, and keeps the result if it reports fewer
 * words.
 */
function resplitWhereOverreported(gap: readonly BlockResult[], deadline: Deadline): readonly BlockResult[] {
  if (deadline.isOver) return gap;
  const before = inReadingOrder(gap.flatMap(({ before: block }) => block ?? []));
  const after = inReadingOrder(gap.flatMap(({ after: block }) => block ?? []));
  if (before.length === 0 || after.length === 0 || before.length + after.length < 3) return gap;
  if (gap.some((result) => result.before && result.after && result.before.gap !== result.after.gap)) return gap;
  const words = gap.reduce((sum, result) => sum + wordsOf(result), 0);
  if (!isOverreported(before, after, words)) return gap;
  const found = resplit(before, after, deadline);
  if (found === undefined || found.words >= words) return gap;
  return [
    ...found.removed.map((block): BlockResult => ({ before: block })),
    ...found.blocks.map(
      (block): BlockResult => ({ ...(block.before && { before: block.before }), after: block.after, diff: block.diff }),
    ),
  ];
}

const inReadingOrder = (blocks: readonly UnmatchedBlock[]): UnmatchedBlock[] =>
  blocks.toSorted((a, b) => a.index - b.index);

function wordsOf({ before, after, diff }: BlockResult): number {
  if (diff !== undefined) return diff.wordsAdded + diff.wordsRemoved;
  return (before?.words.length ?? 0) + (after?.words.length ?? 0);
}

/** Returns for each earlier block the later index of the last preceding block that still exists. */
function positionsOfRemoved(same: Int32Array, results: readonly BlockResult[]): Int32Array {
  const positions = same.slice();
  for (const { before, after } of results)
    if (before && after?.gap === before.gap) positions[before.index] = after.index;
  let last = -1;
  return positions.map((position) => {
    last = Math.max(last, position);
    return last;
  });
}

function positionedChange(
  { before, after, diff }: BlockResult,
  writer: ChangeWriter,
  positions: Int32Array,
): PositionedChange[] {
  if (after === undefined) {
    return before
      ? [{ change: writer.removed(before.block), position: positions[before.index] ?? -1, order: before.index + 1 }]
      : [];
  }
  const at = { position: after.index, order: 0 };
  if (before === undefined) return [{ change: writer.added(after.block), ...at }];
  if (diff === undefined) return [{ change: writer.replaced(before.block, after.block), ...at }];
  const change = writer.edited(before.block, after.block, diff);
  return change ? [{ change, ...at }] : [];
}
