import { type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';
import type { PageKind } from './page-kind.ts';
import { isHeadingTag, isLeaf, isLeftOut, makeOf } from './prose.ts';

const RUN_LENGTH = 4;
/** Share of the blocks that have the line. */
const SHARE = 0.6;
const LINE_WORDS = 6;
/** A paragraph of more words is a short sentence. */
const PARAGRAPH_WORDS = 4;
const LINE_CHARS = 80;
/** Levels below a block that are searched for its lines. Bounds the cost of blocks nested in like blocks. */
const LEVELS = 12;

/** Occurrences of one line in a run of blocks. */
interface RepeatedLine {
  /** The last block that has it. */
  block: Element;
  blocks: number;
  readonly elements: Element[];
}

/**
 * Marks short lines that recur in most of a run of like siblings, such as "Reply" or "Add to cart". In forums digits
 * are ignored, so that dates and counters of posts are equal. A line without letters, such as a price, stays, as does
 * one that is a block by itself.
 */
export function dropRepeatedLines(root: Element, kind: PageKind): void {
  for (const run of runsIn(root)) {
    const lines = new Map<string, RepeatedLine>();
    for (const block of run)
      eachLine(block, LEVELS, (element) => {
        if (element !== block) addLine(lines, block, element, kind);
      });
    for (const { blocks, elements } of lines.values())
      if (blocks >= RUN_LENGTH && blocks >= run.length * SHARE)
        for (const element of elements) element.flags |= Flag.boilerplate;
  }
  for (const child of root.children)
    if (isElement(child) && !isLeftOut(child) && !isLeaf(child)) dropRepeatedLines(child, kind);
}

/** Groups the children of an element by make. Table rows are data. */
function runsIn(root: Element): Element[][] {
  if (root.children.length < RUN_LENGTH) return [];
  const byMake = new Map<string, Element[]>();
  for (const child of root.children) {
    if (!isElement(child) || isLeftOut(child) || child.words === 0) continue;
    if (child.tag === 'tr' || child.tag === 'tbody') continue;
    const make = makeOf(child);
    const run = byMake.get(make);
    if (run) run.push(child);
    else byMake.set(make, [child]);
  }
  return [...byMake.values()].filter((run) => run.length >= RUN_LENGTH);
}

function addLine(lines: Map<string, RepeatedLine>, block: Element, element: Element, kind: PageKind): void {
  const line = visibleLine(element, LINE_CHARS).toLowerCase();
  const key = kind === 'forum' ? line.replace(/[\d\s.,:]+/g, ' ').trim() : line;
  if (!/\p{L}{2}/u.test(key)) return;
  const known = lines.get(key);
  if (!known) {
    lines.set(key, { block, blocks: 1, elements: [element] });
    return;
  }
  known.elements.push(element);
  if (known.block !== block) known.blocks++;
  known.block = block;
}

/** Calls `visit` for the short lines of a block that are neither headings nor cells. */
function eachLine(element: Element, levels: number, visit: (line: Element) => void): void {
  if (isLeftOut(element) || element.words === 0 || isHeadingTag(element.tag) || element.tag === 'table') return;
  if (isLeaf(element)) {
    if (element.words <= (element.tag === 'p' ? PARAGRAPH_WORDS : LINE_WORDS)) visit(element);
  } else if (levels > 0) {
    for (const child of element.children) if (isElement(child)) eachLine(child, levels - 1, visit);
  }
}
