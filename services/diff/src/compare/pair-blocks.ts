import type { Deadline } from './deadline.ts';
import { diceOf, type LooseBlock } from './loose-blocks.ts';

/** Blocks further apart than this are not taken for one another. */
const NEAR = 60;
/** Of their words, this share is the same. */
const ALIKE = 0.5;
/** A value that was replaced: a block this short, alone at its place, is the one that was there before. */
const VALUE_WORDS = 20;

/** A block and what became of it. */
export interface Pair {
  readonly before: LooseBlock;
  readonly after: LooseBlock;
}

/**
 * Pairs blocks that were edited: of the same kind, near each other, half of their words the same. The most alike first.
 *
 * @throws OutOfTime
 */
export function pairBlocks(before: readonly LooseBlock[], after: readonly LooseBlock[], deadline: Deadline): Pair[] {
  const pairs = new Pairing();
  for (const { pair } of candidates(before, after, deadline)) pairs.take(pair);
  for (const pair of lonely(before, after)) pairs.take(pair);
  return pairs.taken;
}

class Pairing {
  readonly taken: Pair[] = [];
  readonly #used = new Set<LooseBlock>();

  take(pair: Pair): void {
    if (this.#used.has(pair.before) || this.#used.has(pair.after)) return;
    this.taken.push(pair);
    this.#used.add(pair.before).add(pair.after);
  }
}

interface Candidate {
  readonly pair: Pair;
  readonly likeness: number;
  readonly distance: number;
}

function candidates(before: readonly LooseBlock[], after: readonly LooseBlock[], deadline: Deadline): Candidate[] {
  const found: Candidate[] = [];
  let first = 0;
  for (const old of before) {
    while (first < after.length && (after[first]?.place ?? 0) < old.place - NEAR) first += 1;
    for (let at = first; at < after.length; at++) {
      const candidate = after[at];
      if (candidate === undefined || candidate.place > old.place + NEAR) break;
      deadline.spend(1 + (old.bag.length >> 3));
      const likeness = likenessOf(old, candidate);
      if (likeness < ALIKE) continue;
      found.push({
        pair: { before: old, after: candidate },
        likeness,
        distance: Math.abs(candidate.place - old.place) + (candidate.gap === old.gap ? 0 : NEAR),
      });
    }
  }
  return found.sort((a, b) => b.likeness - a.likeness || a.distance - b.distance);
}

function likenessOf(a: LooseBlock, b: LooseBlock): number {
  if (a.block.kind !== b.block.kind) return 0;
  const [less, more] = a.bag.length < b.bag.length ? [a.bag, b.bag] : [b.bag, a.bag];
  // What they could share at most.
  if ((2 * less.length) / (less.length + more.length) < ALIKE) return 0;
  return diceOf(a.bag, b.bag);
}

/** Short blocks that stand alone on either side of the same gap, at the same place of the markup. */
function lonely(before: readonly LooseBlock[], after: readonly LooseBlock[]): Pair[] {
  const [old, now] = [aloneIn(before), aloneIn(after)];
  return [...old].flatMap(([slot, block]) => {
    const other = now.get(slot);
    return block === undefined || other === undefined ? [] : [{ before: block, after: other }];
  });
}

/** By their place; undefined where several share it. */
function aloneIn(blocks: readonly LooseBlock[]): Map<string, LooseBlock | undefined> {
  const alone = new Map<string, LooseBlock | undefined>();
  for (const loose of blocks) {
    const { gap, block, anchor } = loose;
    const slot = `${gap} ${block.kind} ${anchor}`;
    alone.set(slot, alone.has(slot) || loose.bag.length > VALUE_WORDS ? undefined : loose);
  }
  return alone;
}
