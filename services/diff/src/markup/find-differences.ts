import { type Deadline, OutOfTime } from '../comparison/deadline.ts';
import { type ComparedElement, type ComparedNode, isComparedElement } from './compared-tree.ts';
import type { MarkupOpKind } from './markup-delta.ts';
import { NOISE_RULES } from './noise-rules.ts';
import { type ChildPair, pairChildren } from './pair-children.ts';

/** A node and its parent. */
export interface NodeInParent {
  readonly node: ComparedNode;
  readonly parent: ComparedElement;
}

export interface NodeDifference {
  readonly op: MarkupOpKind;
  readonly before?: NodeInParent;
  readonly after?: NodeInParent;
  readonly attribute?: string;
}

export interface Differences {
  readonly found: readonly NodeDifference[];
  readonly noise: ReadonlyMap<string, number>;
  readonly isOutOfTime: boolean;
}

/** Compares two readings top-down; equal subtrees are not entered. */
export function findDifferences(before: ComparedElement, after: ComparedElement, deadline: Deadline): Differences {
  const finder = new Finder(deadline);
  finder.compare({ node: before, parent: before }, { node: after, parent: after });
  return { found: withMoves(finder.found), noise: finder.noise, isOutOfTime: finder.isOutOfTime };
}

class Finder {
  readonly found: NodeDifference[] = [];
  readonly noise = new Map<string, number>();
  isOutOfTime = false;
  readonly #deadline: Deadline;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  compare(before: NodeInParent, after: NodeInParent): void {
    if (before.node.contentId === after.node.contentId) {
      this.#countNoise(before.node, after.node);
      return;
    }
    if (!isComparedElement(before.node) || !isComparedElement(after.node)) {
      this.#countOwnNoise(before.node, after.node);
      this.found.push({ op: 'text', before, after });
      return;
    }
    const pairs = this.#pairInTime(before.node, after.node);
    if (pairs === undefined) {
      this.#replace(before, after);
      return;
    }
    this.#countOwnNoise(before.node, after.node);
    this.#compareAttributes(before.node, after.node);
    for (const pair of pairs) {
      const previous = pair.before && { node: pair.before, parent: before.node };
      const current = pair.after && { node: pair.after, parent: after.node };
      this.#comparePair(previous, current, pair.hasMoved);
    }
  }

  /** @returns undefined if the time is over */
  #pairInTime(before: ComparedElement, after: ComparedElement): readonly ChildPair[] | undefined {
    if (this.#deadline.isOver) return undefined;
    try {
      return pairChildren(before.children, after.children, this.#deadline);
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      return undefined;
    }
  }

  #comparePair(previous: NodeInParent | undefined, current: NodeInParent | undefined, hasMoved: boolean): void {
    if (previous !== undefined && current !== undefined) {
      if (hasMoved) this.#move(previous, current);
      this.compare(previous, current);
    } else if (current !== undefined)
      this.found.push({ op: isComparedElement(current.node) ? 'insert' : 'text', after: current });
    else if (previous !== undefined)
      this.found.push({ op: isComparedElement(previous.node) ? 'remove' : 'text', before: previous });
  }

  #move(before: NodeInParent, after: NodeInParent): void {
    const { node } = after;
    const rule = isComparedElement(node)
      ? NOISE_RULES.find((candidate) => candidate.ignoresOrder?.(node.source))
      : undefined;
    if (rule === undefined) this.found.push({ op: 'move', before, after });
    else this.noise.set(rule.name, (this.noise.get(rule.name) ?? 0) + 1);
  }

  #replace(before: NodeInParent, after: NodeInParent): void {
    this.isOutOfTime = true;
    this.found.push({ op: 'remove', before }, { op: 'insert', after });
  }

  #compareAttributes(before: ComparedElement, after: ComparedElement): void {
    const previous = { node: before, parent: before };
    const current = { node: after, parent: after };
    for (const name of new Set([...before.attributes.keys(), ...after.attributes.keys()]))
      if (before.attributes.get(name) !== after.attributes.get(name))
        this.found.push({ op: 'attr', before: previous, after: current, attribute: name });
  }

  /** For two equal subtrees, whose shapes are equal. */
  #countNoise(before: ComparedNode, after: ComparedNode): void {
    if (before.exactId === after.exactId) return;
    this.#countOwnNoise(before, after);
    if (!isComparedElement(before) || !isComparedElement(after)) return;
    before.children.forEach((child, at) => {
      const counterpart = after.children[at];
      if (counterpart !== undefined) this.#countNoise(child, counterpart);
    });
  }

  #countOwnNoise(before: ComparedNode, after: ComparedNode): void {
    for (const rule of new Set([...before.noise, ...after.noise].map((noise) => noise.rule))) {
      const previous = before.noise.filter((noise) => noise.rule === rule).map((noise) => noise.text);
      const current = after.noise.filter((noise) => noise.rule === rule).map((noise) => noise.text);
      const ignored = Math.max(without(previous, current).length, without(current, previous).length);
      if (ignored > 0) this.noise.set(rule, (this.noise.get(rule) ?? 0) + ignored);
    }
  }
}

function without(all: readonly string[], taken: readonly string[]): string[] {
  const left = new Set(taken);
  return all.filter((item) => !left.has(item));
}

/** Smaller subtrees, such as icons and line breaks, are equal by chance. */
const MIN_MOVED_NODES = 2;

/** Adds the elements of a subtree by content; the first of equal ones is kept. */
function indexPieces(position: NodeInParent | undefined, into: Map<number, NodeInParent>): void {
  if (position === undefined || position.node.size < MIN_MOVED_NODES || !isComparedElement(position.node)) return;
  if (!into.has(position.node.contentId)) into.set(position.node.contentId, position);
  for (const node of position.node.children) indexPieces({ node, parent: position.node }, into);
}

/**
 * Reports a subtree removed in one place and inserted in another as moved, also into or out of a wrapper that is new or
 * removed. The `insert` of the wrapper remains next to the `move`.
 */
function withMoves(found: readonly NodeDifference[]): NodeDifference[] {
  const removed = found.filter((difference) => difference.op === 'remove');
  const inserted = found.filter((difference) => difference.op === 'insert');
  if (removed.length === 0 || inserted.length === 0) return [...found];
  const moved = new Map<NodeDifference, NodeDifference>();
  const movedNodes = new Set<ComparedNode>();
  const removedPieces = piecesOf(removed.map(({ before }) => before));
  for (const insertion of inserted) {
    const before = takePiece(removedPieces, insertion.after);
    if (before === undefined || insertion.after === undefined) continue;
    moved.set(insertion, { op: 'move', before, after: insertion.after });
    movedNodes.add(before.node);
  }
  const matchedRemovals = new Set(removed.filter(({ before }) => before !== undefined && movedNodes.has(before.node)));
  const insertedPieces = piecesOf(inserted.map(({ after }) => after));
  for (const removal of removed) {
    if (matchedRemovals.has(removal) || removal.before === undefined) continue;
    const after = takePiece(insertedPieces, removal.before);
    if (after !== undefined) moved.set(removal, { op: 'move', before: removal.before, after });
  }
  return found.flatMap((difference) => (matchedRemovals.has(difference) ? [] : [moved.get(difference) ?? difference]));
}

/** Returns the elements of subtrees by content. */
function piecesOf(positions: readonly (NodeInParent | undefined)[]): Map<number, NodeInParent> {
  const pieces = new Map<number, NodeInParent>();
  for (const position of positions) indexPieces(position, pieces);
  return pieces;
}

/** A subtree moves to one place only. */
function takePiece(pieces: Map<number, NodeInParent>, target: NodeInParent | undefined): NodeInParent | undefined {
  const piece = target && pieces.get(target.node.contentId);
  if (piece !== undefined) pieces.delete(piece.node.contentId);
  return piece;
}
