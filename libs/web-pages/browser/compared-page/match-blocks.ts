/** A key that occurs on both sides in more combinations is no anchor. */
const MAX_COMBINATIONS = 64;

/**
 * Finds where the blocks of a comparison are in a shown page. Both are given by keys: their texts without white space. The longest common
 * subsequence of the keys that occur rarely are anchors (Hunt and Szymanski, 1977); between two anchors equal keys are paired from the start. A short
 * text such as "Home" can therefore not move the search past the blocks around it. O(n log n).
 * @returns for each block the index of its segment; -1: the page does not show it
 */
export function matchBlocks(blocks: readonly string[], segments: readonly string[]): number[] {
  const matches = blocks.map(() => -1);
  const anchors = longestIncreasing(pairsOf(blocks, segments));
  let [block, segment] = [0, 0];
  for (const [toBlock, toSegment] of [...anchors, [blocks.length, segments.length] as const]) {
    matchBetween(matches, { blocks, segments }, { block, segment, toBlock, toSegment });
    if (toBlock < blocks.length) matches[toBlock] = toSegment;
    [block, segment] = [toBlock + 1, toSegment + 1];
  }
  return matches;
}

type Pair = readonly [block: number, segment: number];

/** Returns the equal pairs of rare keys: in the order of the blocks, and for each block from the last segment to the first. */
function pairsOf(blocks: readonly string[], segments: readonly string[]): Pair[] {
  const places = placesOf(segments);
  const counts = placesOf(blocks);
  return blocks.flatMap((key, block): Pair[] => {
    const found = key === '' ? [] : (places.get(key) ?? []);
    const combinations = found.length * (counts.get(key)?.length ?? 0);
    return combinations > MAX_COMBINATIONS ? [] : found.map((segment) => [block, segment] as const);
  });
}

/** Returns the positions of each key from `from` up to `to`, the last first. */
function placesOf(keys: readonly string[], from = 0, to = keys.length): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let at = to - 1; at >= from; at -= 1) {
    const key = keys[at] ?? '';
    const known = places.get(key);
    if (known === undefined) places.set(key, [at]);
    else known.push(at);
  }
  return places;
}

/** Returns the longest subsequence of pairs whose segments increase; of each block at most one. */
function longestIncreasing(pairs: readonly Pair[]): Pair[] {
  /** For each length, the index of the pair that ends the subsequence of this length with the lowest segment. */
  const ends: number[] = [];
  const before = pairs.map(() => -1);
  for (const [at, [, segment]] of pairs.entries()) {
    const length = lowerBound(ends.length, (index) => (pairs[ends[index] ?? 0]?.[1] ?? 0) < segment);
    before[at] = length === 0 ? -1 : (ends[length - 1] ?? -1);
    ends[length] = at;
  }
  const longest: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) longest.push(pair);
  }
  return longest.reverse();
}

/** Returns the first index from 0 to `length` for which `isBelow` is false. Binary search. */
function lowerBound(length: number, isBelow: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Range {
  readonly block: number;
  readonly segment: number;
  readonly toBlock: number;
  readonly toSegment: number;
}

/** Pairs equal keys of a range in order. A key that is missing in the rest of the range is passed over. */
function matchBetween(
  matches: number[],
  { blocks, segments }: { readonly blocks: readonly string[]; readonly segments: readonly string[] },
  { block, segment, toBlock, toSegment }: Range,
): void {
  const places = placesOf(segments, segment, toSegment);
  let next = segment;
  for (let at = block; at < toBlock; at += 1) {
    const waiting = places.get(blocks[at] ?? '') ?? [];
    while (waiting.length > 0 && (waiting.at(-1) ?? 0) < next) waiting.pop();
    const found = waiting.at(-1);
    if (found === undefined || blocks[at] === '') continue;
    matches[at] = found;
    next = found + 1;
  }
}
