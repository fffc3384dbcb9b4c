import type { BlockChange } from '../domain/page-delta.ts';
import type { Alignment } from './align-blocks.ts';
import type { ChangeWriter } from './block-changes.ts';
import { type Deadline, OutOfTime } from './deadline.ts';
import type { LooseBlock } from './loose-blocks.ts';
import { type Pair, pairBlocks } from './pair-blocks.ts';
import { isOvertold, recut } from './recut.ts';
import { diffTokens, type WordDiff } from './word-diff.ts';

/** A change with where it belongs: at a block of the later reading, and among what was removed there. */
export interface PlacedChange {
  readonly change: BlockChange;
  readonly place: number;
  readonly order: number;
}

export interface LooseChanges {
  readonly changes: readonly PlacedChange[];
  /** Some edits could not be looked into. */
  readonly isDegraded: boolean;
}

/** What became of one loose block, or of two that are one. */
interface Told {
  readonly before?: LooseBlock;
  readonly after?: LooseBlock;
  /** Of two: undefined where there was no time to compare their words. */
  readonly diff?: WordDiff | undefined;
}

/**
 * What became of the blocks that have no equal: edited where two are alike, else removed or added.
 *
 * @throws OutOfTime before blocks are paired
 */
export function changesOfLoose(alignment: Alignment, writer: ChangeWriter, deadline: Deadline): LooseChanges {
  const { looseBefore, looseAfter } = alignment;
  const pairs = pairBlocks(looseBefore, looseAfter, deadline);
  const first = pairedAndLeft(pairs, alignment, deadline);
  const told = [...byGap(first).values()].flatMap((gap) => recutWhereOvertold(gap, deadline));
  const places = placesOfRemoved(alignment.same, told);
  return {
    changes: told.flatMap((one) => placedChange(one, writer, places)),
    isDegraded: told.some(({ before, after, diff }) => before && after && diff === undefined),
  };
}

function pairedAndLeft(pairs: readonly Pair[], { looseBefore, looseAfter }: Alignment, deadline: Deadline): Told[] {
  const [old, now] = [new Set(pairs.map(({ before }) => before)), new Set(pairs.map(({ after }) => after))];
  return [
    ...pairs.map(({ before, after }): Told => ({ before, after, diff: inTime(before, after, deadline) })),
    ...looseBefore.filter((block) => !old.has(block)).map((before): Told => ({ before })),
    ...looseAfter.filter((block) => !now.has(block)).map((after): Told => ({ after })),
  ];
}

/** The words of a pair; undefined where there is no time left for them. */
function inTime(before: LooseBlock, after: LooseBlock, deadline: Deadline): WordDiff | undefined {
  try {
    deadline.check();
    return diffTokens(before.tokens, after.tokens, deadline);
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

/** What was found out in each gap; what went from one gap to another by itself. */
function byGap(told: readonly Told[]): Map<number, Told[]> {
  const gaps = new Map<number, Told[]>();
  for (const one of told) {
    const gap =
      one.before && one.after && one.before.gap !== one.after.gap ? ELSEWHERE : (one.before ?? one.after)?.gap;
    const known = gaps.get(gap ?? ELSEWHERE);
    if (known === undefined) gaps.set(gap ?? ELSEWHERE, [one]);
    else known.push(one);
  }
  return gaps;
}

const ELSEWHERE = -1;

/** Where the same text was cut into other blocks, its words are compared across their borders, if that has less to tell. */
function recutWhereOvertold(gap: readonly Told[], deadline: Deadline): readonly Told[] {
  if (deadline.isOver) return gap;
  const before = inReadingOrder(gap.flatMap(({ before: block }) => block ?? []));
  const after = inReadingOrder(gap.flatMap(({ after: block }) => block ?? []));
  if (before.length === 0 || after.length === 0 || before.length + after.length < 3) return gap;
  if (gap.some((one) => one.before && one.after && one.before.gap !== one.after.gap)) return gap;
  const words = gap.reduce((sum, one) => sum + wordsOf(one), 0);
  if (!isOvertold(before, after, words)) return gap;
  const found = recut(before, after, deadline);
  if (found === undefined || found.words >= words) return gap;
  return [
    ...found.removed.map((block): Told => ({ before: block })),
    ...found.blocks.map(
      (block): Told => ({ ...(block.before && { before: block.before }), after: block.after, diff: block.diff }),
    ),
  ];
}

const inReadingOrder = (blocks: readonly LooseBlock[]): LooseBlock[] => blocks.toSorted((a, b) => a.index - b.index);

function wordsOf({ before, after, diff }: Told): number {
  if (diff !== undefined) return diff.wordsAdded + diff.wordsRemoved;
  return (before?.bag.length ?? 0) + (after?.bag.length ?? 0);
}

/** For each block of the earlier reading the last one before it that is still there, by its place in the later reading. */
function placesOfRemoved(same: Int32Array, told: readonly Told[]): Int32Array {
  const places = same.slice();
  for (const { before, after } of told) if (before && after?.gap === before.gap) places[before.index] = after.index;
  let last = -1;
  return places.map((place) => {
    last = Math.max(last, place);
    return last;
  });
}

function placedChange({ before, after, diff }: Told, writer: ChangeWriter, places: Int32Array): PlacedChange[] {
  if (after === undefined) {
    return before
      ? [{ change: writer.removed(before.block), place: places[before.index] ?? -1, order: before.index + 1 }]
      : [];
  }
  const at = { place: after.index, order: 0 };
  if (before === undefined) return [{ change: writer.added(after.block), ...at }];
  if (diff === undefined) return [{ change: writer.replaced(before.block, after.block), ...at }];
  const change = writer.edited(before.block, after.block, diff);
  return change ? [{ change, ...at }] : [];
}
