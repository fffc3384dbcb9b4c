import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { Deadline } from './deadline.ts';
import { type LooseBlock, loosen, type Placed } from './loose-blocks.ts';
import { Ids, matchSequences } from './sequence-diff.ts';

/** Which blocks of two readings are the same, which were moved, and which have no equal. */
export interface Alignment {
  /** For each block of the earlier reading the place of its equal in the later one; -1: none in this order. */
  readonly same: Int32Array;
  readonly moved: readonly (readonly [before: number, after: number])[];
  readonly looseBefore: readonly LooseBlock[];
  readonly looseAfter: readonly LooseBlock[];
}

/**
 * Aligns the blocks of two readings by their hashes alone.
 *
 * @throws OutOfTime
 */
export function alignBlocks(before: PageBlocks, after: PageBlocks, deadline: Deadline): Alignment {
  const ids = new Ids();
  const [xs, ys] = [ids.all(before.blocks.map(keyOf)), ids.all(after.blocks.map(keyOf))];
  const same = matchSequences(xs, ys, deadline);
  const placed = placedIn(same, ys.length);
  const moved = movedAmong(placed, xs, ys);
  const words = new Ids();
  const [from, to] = [new Set(moved.map(([index]) => index)), new Set(moved.map(([, index]) => index))];
  const loose = (reading: PageBlocks, some: readonly Placed[], taken: ReadonlySet<number>): LooseBlock[] =>
    some.flatMap((one) => {
      deadline.check();
      return taken.has(one.index) ? [] : (loosen(reading, one, words) ?? []);
    });
  return {
    same,
    moved,
    looseBefore: loose(before, placed.before, from),
    looseAfter: loose(after, placed.after, to),
  };
}

/** A block's hash as something that can be looked up. */
export const keyOf = ({ hash }: Block): string => Buffer.from(hash).toString('latin1');

/** Walks both readings side by side; what has no match stands in the gap between two that have. */
function placedIn(same: Int32Array, afterLength: number): { before: Placed[]; after: Placed[] } {
  const placed: { before: Placed[]; after: Placed[] } = { before: [], after: [] };
  let [y, gap, start] = [0, 0, 0];
  let [x, fromX] = [0, 0];
  const close = (toY: number): void => {
    for (let at = fromX; at < x; at++) placed.before.push({ index: at, place: start + at - fromX, gap });
    for (let at = y; at < toY; at++) placed.after.push({ index: at, place: start + at - y, gap });
    start += Math.max(x - fromX, toY - y) + 1;
    gap += 1;
  };
  for (; x < same.length; x++) {
    const match = same[x] ?? -1;
    if (match === -1) continue;
    close(match);
    [fromX, y] = [x + 1, match + 1];
  }
  close(afterLength);
  return placed;
}

/** Equal blocks that stand elsewhere, the first of one side with the first of the other. */
function movedAmong(
  { before, after }: { readonly before: readonly Placed[]; readonly after: readonly Placed[] },
  xs: Uint32Array,
  ys: Uint32Array,
): [number, number][] {
  const waiting = new Map<number, number[]>();
  for (const { index } of before) {
    const id = xs[index] ?? 0;
    const others = waiting.get(id);
    if (others === undefined) waiting.set(id, [index]);
    else others.push(index);
  }
  for (const indexes of waiting.values()) indexes.reverse();
  return after.flatMap(({ index }): [number, number][] => {
    const from = waiting.get(ys[index] ?? 0)?.pop();
    return from === undefined ? [] : [[from, index]];
  });
}
