import { diff } from 'fast-myers-diff';
import type { Deadline } from './deadline.ts';

/** Assigns numbers from 1 to equal keys of both sides. */
export class IdMap {
  readonly #numbers = new Map<string, number>();

  of(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  all(keys: readonly string[]): Uint32Array {
    return Uint32Array.from(keys, (key) => this.of(key));
  }
}

/**
 * Returns for each element of `before` the index of its match in `after`, or -1: a longest common subsequence by Myers'
 * algorithm.
 * @throws OutOfTime
 */
export function matchSequences(before: Uint32Array, after: Uint32Array, deadline: Deadline): Int32Array {
  const matches = new Int32Array(before.length).fill(-1);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) matches[start] = start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
    matches[before.length - end] = after.length - end;
  }
  const [xs, ys] = [spanOf(before, start, end), spanOf(after, start, end)];
  matchMiddles(before, sharedIn(xs, before, after, ys), after, sharedIn(ys, after, before, xs), { matches, deadline });
  return matches;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const spanOf = (ids: Uint32Array, start: number, end: number): Span => ({ from: start, to: ids.length - end });

/**
 * Returns the indexes of elements that the other side has too. Leaving out the rest makes unrelated sequences cheap to
 * compare.
 */
function sharedIn(own: Span, ids: Uint32Array, others: Uint32Array, other: Span): Uint32Array {
  const present = new Set(others.subarray(other.from, other.to));
  const indexes: number[] = [];
  for (let at = own.from; at < own.to; at++) if (present.has(ids[at] ?? 0)) indexes.push(at);
  return Uint32Array.from(indexes);
}

function matchMiddles(
  before: Uint32Array,
  xs: Uint32Array,
  after: Uint32Array,
  ys: Uint32Array,
  { matches, deadline }: { readonly matches: Int32Array; readonly deadline: Deadline },
): void {
  const [left, right] = [xs.map((at) => before[at] ?? 0), ys.map((at) => after[at] ?? 0)];
  const equal = (i: number, j: number): boolean => {
    deadline.spend();
    return left[i] === right[j];
  };
  const same = (toX: number, toY: number, length: number): void => {
    for (let back = 1; back <= length; back++) matches[xs[toX - back] ?? 0] = ys[toY - back] ?? -1;
  };
  let [x, y] = [0, 0];
  for (const [fromX, toX, fromY, toY] of diff(left, right, equal)) {
    same(fromX, fromY, fromX - x);
    [x, y] = [toX, toY];
  }
  same(left.length, y + left.length - x, left.length - x);
}
