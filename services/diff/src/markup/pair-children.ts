import { lcs } from 'fast-myers-diff';
import type { Deadline } from '../comparison/deadline.ts';
import { type ComparedElement, type ComparedNode, isComparedElement } from './compared-tree.ts';
import { isSequentialName } from './generated-names.ts';
import { attributeIn, textOf } from './markup-tree.ts';

/** A child of a parent in both readings, or in one of them. */
export interface ChildPair {
  readonly before?: ComparedNode;
  readonly after?: ComparedNode;
  /** Its order among siblings changed. */
  readonly hasMoved: boolean;
}

/** Minimum similarity of two paired elements. */
const MIN_SIMILARITY = 0.4;
/** Alignment of completely shuffled lists is aborted after this many steps. */
const MAX_ALIGN_STEPS = 3_000_000;
/** Maximum offset at which a partner without a key is searched. */
const MAX_OFFSET = 20;

/**
 * Pairs the children of two readings: equal subtrees in order, then moved equal subtrees, then by stable key, then by
 * tag and classes nearby.
 * @throws OutOfTime
 */
export function pairChildren(
  before: readonly ComparedNode[],
  after: readonly ComparedNode[],
  deadline: Deadline,
): ChildPair[] {
  const pairing = new Pairing(before, after);
  alignEqual(before, after, pairing, deadline);
  for (const keyOf of [(node: ComparedNode): string | undefined => `${node.contentId}`, stableKey])
    pairByKey(pairing, keyOf, deadline);
  pairByShape(pairing, deadline);
  return inOrder(pairing);
}

class TooShuffled extends Error {}

class Pairing {
  readonly before: readonly ComparedNode[];
  readonly after: readonly ComparedNode[];
  /** For each later child the index of its earlier partner; -1: none. */
  readonly partners: Int32Array;
  readonly isTaken: Uint8Array;

  constructor(before: readonly ComparedNode[], after: readonly ComparedNode[]) {
    this.before = before;
    this.after = after;
    this.partners = new Int32Array(after.length).fill(-1);
    this.isTaken = new Uint8Array(before.length);
  }

  pair(b: number, a: number): void {
    this.partners[a] = b;
    this.isTaken[b] = 1;
  }

  get openBefore(): number[] {
    return this.before.flatMap((_, at) => (this.isTaken[at] === 1 ? [] : [at]));
  }

  get openAfter(): number[] {
    return this.after.flatMap((_, at) => (this.partners[at] === -1 ? [at] : []));
  }
}

function alignEqual(
  before: readonly ComparedNode[],
  after: readonly ComparedNode[],
  pairing: Pairing,
  deadline: Deadline,
): void {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start]?.contentId === after[start]?.contentId) pairing.pair(start, start++);
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail)?.contentId === after.at(-1 - tail)?.contentId) {
    tail += 1;
    pairing.pair(before.length - tail, after.length - tail);
  }
  // Children of one side only cannot be aligned and are the most expensive.
  const shared = new Set(pairing.openBefore.map((at) => before[at]?.contentId));
  const ofAfter = pairing.openAfter.filter((at) => shared.has(after[at]?.contentId));
  const contentIds = new Set(ofAfter.map((at) => after[at]?.contentId));
  const ofBefore = pairing.openBefore.filter((at) => contentIds.has(before[at]?.contentId));
  const numbers = (nodes: readonly ComparedNode[], indexes: readonly number[]): Uint32Array =>
    Uint32Array.from(indexes, (at) => nodes[at]?.contentId ?? 0);
  const [xs, ys] = [numbers(before, ofBefore), numbers(after, ofAfter)];
  let steps = 0;
  const isEqual = (x: number, y: number): boolean => {
    deadline.spend();
    steps += 1;
    if (steps > MAX_ALIGN_STEPS) throw new TooShuffled();
    return xs[x] === ys[y];
  };
  try {
    for (const [x, y, length] of lcs(xs, ys, isEqual))
      for (let i = 0; i < length; i += 1) pairing.pair(ofBefore[x + i] ?? 0, ofAfter[y + i] ?? 0);
  } catch (error) {
    // Pairing by content id follows and finds them too, less precisely for repeated ones.
    if (!(error instanceof TooShuffled)) throw error;
  }
}

/** Pairs children with equal keys; repeated keys in order. */
function pairByKey(pairing: Pairing, keyOf: (node: ComparedNode) => string | undefined, deadline: Deadline): void {
  const waiting = new Map<string, number[]>();
  for (const at of pairing.openBefore.toReversed()) {
    deadline.spend();
    const node = pairing.before[at];
    const key = node && keyOf(node);
    if (key === undefined) continue;
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [at]);
    else list.push(at);
  }
  for (const at of pairing.openAfter) {
    deadline.spend();
    const node = pairing.after[at];
    const partner = waiting.get((node && keyOf(node)) ?? '')?.pop();
    if (partner !== undefined) pairing.pair(partner, at);
  }
}

const KEY_CHARS = 80;

/** Returns a key that identifies an element among its siblings regardless of its content; undefined: none. */
function stableKey(node: ComparedNode): string | undefined {
  if (!isComparedElement(node)) return undefined;
  const { source, tag } = node;
  const id = attributeIn(source, 'id');
  if (id !== '' && !isSequentialName(id) && node.attributes.get('id') === id) return `${tag}#${id}`;
  const name = attributeIn(source, 'name') || attributeIn(source, 'property') || attributeIn(source, 'itemprop');
  if (name !== '') return `${tag} name ${name}`;
  if (tag === 'link')
    return `link ${['rel', 'hreflang', 'type', 'sizes', 'media'].map((part) => attributeIn(source, part)).join(' ')}`;
  const role = attributeIn(source, 'role');
  const label = attributeIn(source, 'aria-label');
  if (role !== '' || label !== '') return `${tag} ${role} ${label}`;
  if (tag === 'html' || tag === 'head' || tag === 'body' || tag === 'main' || tag === 'title') return tag;
  const heading = headingIn(node);
  return heading === undefined ? undefined : `${tag} under ${heading}`;
}

/** Returns the heading an element begins with. */
function headingIn(node: ComparedElement): string | undefined {
  const first = node.children.slice(0, 2).find((child) => isComparedElement(child) && /^h[1-6]$/.test(child.tag));
  return first && isComparedElement(first) ? textOf(first.source, KEY_CHARS) : undefined;
}

/**
 * Pairs the remaining children with their most similar neighbour: elements of one tag by classes and content, texts in
 * order.
 */
function pairByShape(pairing: Pairing, deadline: Deadline): void {
  const open = pairing.openBefore;
  let from = 0;
  for (const at of pairing.openAfter) {
    while (from < open.length && pairing.isTaken[open[from] ?? 0] === 1) from += 1;
    const node = pairing.after[at];
    const best = node && mostSimilar(pairing, open.slice(from, from + MAX_OFFSET), node, deadline);
    if (best !== undefined) pairing.pair(best, at);
  }
}

/** Returns the index of the earlier child that is most similar to a node; undefined if none is similar enough. */
function mostSimilar(
  { before, isTaken }: Pairing,
  candidates: readonly number[],
  node: ComparedNode,
  deadline: Deadline,
): number | undefined {
  let best: number | undefined;
  let bestScore = MIN_SIMILARITY;
  for (const at of candidates) {
    deadline.spend(20);
    const candidate = before[at];
    if (isTaken[at] === 1 || candidate === undefined) continue;
    const score = similarityOf(candidate, node);
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  return best;
}

function similarityOf(before: ComparedNode, after: ComparedNode): number {
  if (!isComparedElement(before) || !isComparedElement(after)) {
    return isComparedElement(before) === isComparedElement(after) ? 0.5 : 0;
  }
  if (before.tag !== after.tag) return 0;
  const classes = dice(
    (before.attributes.get('class') ?? '').split(' '),
    (after.attributes.get('class') ?? '').split(' '),
  );
  const attributes = dice(pairsOf(before), pairsOf(after));
  const content = dice(
    before.children.map((child) => child.contentId),
    after.children.map((child) => child.contentId),
  );
  return 0.35 * classes + 0.2 * attributes + 0.45 * content;
}

const pairsOf = (node: ComparedElement): string[] => [...node.attributes].map((pair) => pair.join('='));

/** Returns the Dice coefficient of two lists; 1 for two empty lists. */
function dice(a: readonly unknown[], b: readonly unknown[]): number {
  if (a.length + b.length === 0) return 1;
  const all = new Set(a);
  return Math.min(1, (2 * b.filter((item) => all.has(item)).length) / (a.length + b.length));
}

/**
 * Returns pairs in the later order, removed children at their former position. Pairs outside the longest increasing run
 * are moved.
 */
function inOrder({ before, after, partners, isTaken }: Pairing): ChildPair[] {
  const inOrderIndexes = longestIncreasing(partners);
  const pairs: ChildPair[] = [];
  let next = 0;
  const emitRemovedUntil = (end: number): void => {
    for (; next < end; next += 1) {
      const node = before[next];
      if (node !== undefined && isTaken[next] === 0) pairs.push({ before: node, hasMoved: false });
    }
  };
  after.forEach((node, at) => {
    const partner = partners[at] ?? -1;
    const hasMoved = partner >= 0 && !inOrderIndexes.has(at);
    if (partner >= 0 && !hasMoved) emitRemovedUntil(partner);
    const counterpart = before[partner];
    pairs.push(counterpart === undefined ? { after: node, hasMoved } : { before: counterpart, after: node, hasMoved });
  });
  emitRemovedUntil(before.length);
  return pairs;
}

/** Returns the indexes of the longest increasing run of non-negative values (by piles, O(n log n)). */
function longestIncreasing(values: Int32Array): Set<number> {
  const ends: number[] = [];
  const previous = new Int32Array(values.length).fill(-1);
  values.forEach((value, at) => {
    if (value < 0) return;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  });
  const run = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) run.add(at);
  return run;
}
