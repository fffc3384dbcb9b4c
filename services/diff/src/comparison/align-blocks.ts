import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { Deadline } from './deadline.ts';
import { IdMap, matchSequences } from './sequence-diff.ts';
import { type BlockPosition, toUnmatched, type UnmatchedBlock } from './unmatched-blocks.ts';

/** The blocks of two readings that are equal, moved or unmatched. */
export interface BlockAlignment {
  /** For each earlier block the index of its equal in the later reading; -1: none in this order. */
  readonly same: Int32Array;
  readonly moved: readonly (readonly [before: number, after: number])[];
  readonly unmatchedBefore: readonly UnmatchedBlock[];
  readonly unmatchedAfter: readonly UnmatchedBlock[];
}

/**
 * Aligns the blocks of two readings by hash.
 * @throws OutOfTime
 */
export function alignBlocks(before: PageBlocks, after: PageBlocks, deadline: Deadline): BlockAlignment {
  const ids = new IdMap();
  const [xs, ys] = [ids.all(before.blocks.map(keyOf)), ids.all(after.blocks.map(keyOf))];
  const same = matchSequences(xs, ys, deadline);
  const positions = gapsOf(same, ys.length);
  const moved = findMoved(positions, xs, ys);
  const words = new IdMap();
  const [from, to] = [new Set(moved.map(([index]) => index)), new Set(moved.map(([, index]) => index))];
  const unmatchedOf = (
    reading: PageBlocks,
    gaps: readonly BlockPosition[],
    matched: ReadonlySet<number>,
  ): UnmatchedBlock[] =>
    gaps.flatMap((gap) => {
      deadline.check();
      return matched.has(gap.index) ? [] : (toUnmatched(reading, gap, words) ?? []);
    });
  return {
    same,
    moved,
    unmatchedBefore: unmatchedOf(before, positions.before, from),
    unmatchedAfter: unmatchedOf(after, positions.after, to),
  };
}

/** Returns a block's hash as a map key. */
export const keyOf = ({ hash }: Block): string => Buffer.from(hash).toString('latin1');

/** Walks both readings in parallel and assigns unmatched blocks to the gap between their matched neighbours. */
function gapsOf(same: Int32Array, afterLength: number): { before: BlockPosition[]; after: BlockPosition[] } {
  const positions: { before: BlockPosition[]; after: BlockPosition[] } = { before: [], after: [] };
  let [y, gap, start] = [0, 0, 0];
  let [x, fromX] = [0, 0];
  const close = (toY: number): void => {
    for (let at = fromX; at < x; at++) positions.before.push({ index: at, order: start + at - fromX, gap });
    for (let at = y; at < toY; at++) positions.after.push({ index: at, order: start + at - y, gap });
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
  return positions;
}

/** Pairs equal blocks at different positions, in order. */
function findMoved(
  { before, after }: { readonly before: readonly BlockPosition[]; readonly after: readonly BlockPosition[] },
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
