import type { Deadline } from './deadline.ts';
import { diceOf, type UnmatchedBlock } from './unmatched-blocks.ts';

/** Maximum distance of two blocks that are paired. */
const MAX_DISTANCE = 60;
/** Minimum share of common words. */
const MIN_SIMILARITY = 0.5;
/** Maximum length of an isolated block that is paired by position alone: a replaced value. */
const VALUE_WORDS = 20;

/** An edited block in both readings. */
export interface Pair {
  readonly before: UnmatchedBlock;
  readonly after: UnmatchedBlock;
}

/**
 * Pairs edited blocks: same kind, near each other, at least half of the words in common. Most similar pairs first.
 * @throws OutOfTime
 */
export function pairBlocks(
  before: readonly UnmatchedBlock[],
  after: readonly UnmatchedBlock[],
  deadline: Deadline,
): Pair[] {
  const pairs = new Pairing();
  for (const { pair } of candidates(before, after, deadline)) pairs.take(pair);
  for (const pair of isolatedPairs(before, after)) pairs.take(pair);
  return pairs.taken;
}

class Pairing {
  readonly taken: Pair[] = [];
  readonly #used = new Set<UnmatchedBlock>();

  take(pair: Pair): void {
    if (this.#used.has(pair.before) || this.#used.has(pair.after)) return;
    this.taken.push(pair);
    this.#used.add(pair.before).add(pair.after);
  }
}

interface Candidate {
  readonly pair: Pair;
  readonly similarity: number;
  readonly distance: number;
}

function candidates(
  before: readonly UnmatchedBlock[],
  after: readonly UnmatchedBlock[],
  deadline: Deadline,
): Candidate[] {
  const found: Candidate[] = [];
  let first = 0;
  for (const old of before) {
    while (first < after.length && (after[first]?.order ?? 0) < old.order - MAX_DISTANCE) first += 1;
    addNear(found, old, { after, first, deadline });
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.distance - b.distance);
}

/** Adds the similar blocks of `after` near a block, from index `first` on. @throws OutOfTime */
function addNear(
  found: Candidate[],
  old: UnmatchedBlock,
  {
    after,
    first,
    deadline,
  }: { readonly after: readonly UnmatchedBlock[]; readonly first: number; readonly deadline: Deadline },
): void {
  for (let at = first; at < after.length; at++) {
    const candidate = after[at];
    if (candidate === undefined || candidate.order > old.order + MAX_DISTANCE) break;
    deadline.spend(1 + (old.words.length >> 3));
    const similarity = similarityOf(old, candidate);
    if (similarity < MIN_SIMILARITY) continue;
    found.push({
      pair: { before: old, after: candidate },
      similarity,
      distance: Math.abs(candidate.order - old.order) + (candidate.gap === old.gap ? 0 : MAX_DISTANCE),
    });
  }
}

function similarityOf(a: UnmatchedBlock, b: UnmatchedBlock): number {
  if (a.block.kind !== b.block.kind) return 0;
  const [less, more] = a.words.length < b.words.length ? [a.words, b.words] : [b.words, a.words];
  // Upper bound of the similarity.
  if ((2 * less.length) / (less.length + more.length) < MIN_SIMILARITY) return 0;
  return diceOf(a.words, b.words);
}

/** Pairs short blocks that are alone in the same gap at the same anchor. */
function isolatedPairs(before: readonly UnmatchedBlock[], after: readonly UnmatchedBlock[]): Pair[] {
  const [old, now] = [isolatedBlocks(before), isolatedBlocks(after)];
  return [...old].flatMap(([slot, block]) => {
    const other = now.get(slot);
    return block === undefined || other === undefined ? [] : [{ before: block, after: other }];
  });
}

/** Returns blocks by slot; undefined where several share a slot. */
function isolatedBlocks(blocks: readonly UnmatchedBlock[]): Map<string, UnmatchedBlock | undefined> {
  const isolated = new Map<string, UnmatchedBlock | undefined>();
  for (const unmatched of blocks) {
    const { gap, block, anchor } = unmatched;
    const slot = `${gap} ${block.kind} ${anchor}`;
    isolated.set(slot, isolated.has(slot) || unmatched.words.length > VALUE_WORDS ? undefined : unmatched);
  }
  return isolated;
}
