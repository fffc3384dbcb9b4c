import { type Deadline, OutOfTime } from '../compare/deadline.ts';
import { type ComparedElement, type ComparedNode, isComparedElement } from './compared-tree.ts';
import type { MarkupOpKind } from './markup-delta.ts';
import { NOISE_RULES } from './noise-rules.ts';
import { pairChildren } from './pair-children.ts';

/** A node, and the element it stands in. */
export interface Standing {
  readonly node: ComparedNode;
  readonly holder: ComparedElement;
}

export interface Difference {
  readonly op: MarkupOpKind;
  readonly before?: Standing;
  readonly after?: Standing;
  readonly attribute?: string;
}

export interface Differences {
  readonly found: readonly Difference[];
  readonly noise: ReadonlyMap<string, number>;
  readonly isOutOfTime: boolean;
}

/** Walks two readings of a page down to where they differ; what is alike is never entered. */
export function findDifferences(before: ComparedElement, after: ComparedElement, deadline: Deadline): Differences {
  const finder = new Finder(deadline);
  finder.compare({ node: before, holder: before }, { node: after, holder: after });
  return { found: withMoves(finder.found), noise: finder.noise, isOutOfTime: finder.isOutOfTime };
}

class Finder {
  readonly found: Difference[] = [];
  readonly noise = new Map<string, number>();
  isOutOfTime = false;
  readonly #deadline: Deadline;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  compare(before: Standing, after: Standing): void {
    if (before.node.likeness === after.node.likeness) {
      this.#countNoise(before.node, after.node);
      return;
    }
    if (!isComparedElement(before.node) || !isComparedElement(after.node)) {
      this.#countOwnNoise(before.node, after.node);
      this.found.push({ op: 'text', before, after });
      return;
    }
    this.#compareElements(before.node, after.node, () => this.#replace(before, after));
  }

  #compareElements(before: ComparedElement, after: ComparedElement, giveUp: () => void): void {
    if (this.#deadline.isOver) {
      giveUp();
      return;
    }
    let pairs: ReturnType<typeof pairChildren>;
    try {
      pairs = pairChildren(before.children, after.children, this.#deadline);
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      giveUp();
      return;
    }
    this.#countOwnNoise(before, after);
    this.#compareAttributes(before, after);
    for (const pair of pairs) {
      const was = pair.before && { node: pair.before, holder: before };
      const is = pair.after && { node: pair.after, holder: after };
      if (was !== undefined && is !== undefined) {
        if (pair.hasMoved) this.#move(was, is);
        this.compare(was, is);
      } else if (is !== undefined) this.found.push({ op: isComparedElement(is.node) ? 'insert' : 'text', after: is });
      else if (was !== undefined) this.found.push({ op: isComparedElement(was.node) ? 'remove' : 'text', before: was });
    }
  }

  #move(before: Standing, after: Standing): void {
    const { node } = after;
    const rule = isComparedElement(node)
      ? NOISE_RULES.find((candidate) => candidate.anyOrder?.(node.source))
      : undefined;
    if (rule === undefined) this.found.push({ op: 'move', before, after });
    else this.noise.set(rule.name, (this.noise.get(rule.name) ?? 0) + 1);
  }

  #replace(before: Standing, after: Standing): void {
    this.isOutOfTime = true;
    this.found.push({ op: 'remove', before }, { op: 'insert', after });
  }

  #compareAttributes(before: ComparedElement, after: ComparedElement): void {
    const was = { node: before, holder: before };
    const is = { node: after, holder: after };
    for (const name of new Set([...before.attributes.keys(), ...after.attributes.keys()]))
      if (before.attributes.get(name) !== after.attributes.get(name))
        this.found.push({ op: 'attr', before: was, after: is, attribute: name });
  }

  /** Of two that are alike: their trees have one shape. */
  #countNoise(before: ComparedNode, after: ComparedNode): void {
    if (before.exactness === after.exactness) return;
    this.#countOwnNoise(before, after);
    if (!isComparedElement(before) || !isComparedElement(after)) return;
    before.children.forEach((child, at) => {
      const twin = after.children[at];
      if (twin !== undefined) this.#countNoise(child, twin);
    });
  }

  #countOwnNoise(before: ComparedNode, after: ComparedNode): void {
    for (const rule of new Set([...before.noise, ...after.noise].map((noise) => noise.rule))) {
      const was = before.noise.filter((noise) => noise.rule === rule).map((noise) => noise.said);
      const is = after.noise.filter((noise) => noise.rule === rule).map((noise) => noise.said);
      const silenced = Math.max(without(was, is).length, without(is, was).length);
      if (silenced > 0) this.noise.set(rule, (this.noise.get(rule) ?? 0) + silenced);
    }
  }
}

function without(all: readonly string[], taken: readonly string[]): string[] {
  const left = new Set(taken);
  return all.filter((item) => !left.has(item));
}

/** Smaller pieces look alike by chance: an icon, a line break. */
const LEAST_MOVED_NODES = 2;

/**
 * What was removed in one place and inserted in another is told as moved, also into or out of a wrapper that is itself new or gone. An
 * `insert` of a wrapper stays beside the `move` of what it took in.
 */
function withMoves(found: readonly Difference[]): Difference[] {
  const removed = found.filter((difference) => difference.op === 'remove');
  const inserted = found.filter((difference) => difference.op === 'insert');
  if (removed.length === 0 || inserted.length === 0) return [...found];
  const within = (standing: Standing | undefined, into: Map<number, Standing>): void => {
    if (standing === undefined || standing.node.size < LEAST_MOVED_NODES || !isComparedElement(standing.node)) return;
    if (!into.has(standing.node.likeness)) into.set(standing.node.likeness, standing);
    for (const node of standing.node.children) within({ node, holder: standing.node }, into);
  };
  const inRemoved = new Map<number, Standing>();
  const inInserted = new Map<number, Standing>();
  for (const { before } of removed) within(before, inRemoved);
  for (const { after } of inserted) within(after, inInserted);
  const moved = new Map<Difference, Difference>();
  const gone = new Set<Difference>();
  for (const insertion of inserted) {
    const before = take(inRemoved, insertion.after);
    if (before === undefined || insertion.after === undefined) continue;
    moved.set(insertion, { op: 'move', before, after: insertion.after });
    for (const removal of removed) if (removal.before?.node === before.node) gone.add(removal);
  }
  for (const removal of removed) {
    if (gone.has(removal) || removal.before === undefined) continue;
    const after = take(inInserted, removal.before);
    if (after !== undefined) moved.set(removal, { op: 'move', before: removal.before, after });
  }
  return found.flatMap((difference) => (gone.has(difference) ? [] : [moved.get(difference) ?? difference]));
}

/** A piece moves to one place. */
function take(pieces: Map<number, Standing>, wanted: Standing | undefined): Standing | undefined {
  const piece = wanted && pieces.get(wanted.node.likeness);
  if (piece !== undefined) pieces.delete(piece.node.likeness);
  return piece;
}
