import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';
import { PageKind } from './page-kind.ts';
import { dropPostLabels, labelKeyOf } from './post-labels.ts';
import { isHeadingTag, isLeaf, isLeftOut, isSentence, proseWordsOf } from './prose.ts';
import {
  LINE_WORDS,
  PARAGRAPH_WORDS,
  REPEATED_LINES_LEVELS,
  REPEATED_LINES_LINE_CHARS,
  REPEATED_LINES_PROSE_SHARE,
  REPEATED_LINES_RUN_LENGTH,
  REPEATED_LINES_SHARE,
} from './thresholds.ts';

/** Occurrences of one line in a run of blocks. */
interface RepeatedLine {
  /** The last block that has it. */
  block: Element;
  blocks: number;
  readonly elements: Element[];
}

/**
 * Marks short lines that recur in most of a run of like siblings, such as "Reply" or "Add to cart". In the posts of a
 * forum digits are ignored, so that dates and counters are equal, and so are different labels of one make, such as the
 * names of authors. A line without letters, such as a price, stays, as does one that is a block by itself.
 */
export function dropRepeatedLines(root: Element, kind: PageKind): void {
  if (kind === PageKind.forum) dropIn(root, dropPostLabels(root));
  else dropIn(root);
}

function dropIn(root: Element, makesOfTexts?: ReadonlySet<string>): void {
  for (const run of runsIn(root)) {
    for (const { blocks, elements } of linesOf(run, makesOfTexts))
      if (blocks >= REPEATED_LINES_RUN_LENGTH && blocks >= run.length * REPEATED_LINES_SHARE)
        for (const element of elements) element.flags |= Flag.boilerplate;
  }
  for (const child of root.children)
    if (isElement(child) && !isLeftOut(child) && !isLeaf(child)) dropIn(child, makesOfTexts);
}

/** Returns the lines inside the blocks of a run, by their text and, in posts, by their make. */
function linesOf(run: readonly Element[], makesOfTexts?: ReadonlySet<string>): Iterable<RepeatedLine> {
  const lines = new Map<string, RepeatedLine>();
  const isForum = makesOfTexts !== undefined;
  const holdsPosts = isForum && isProse(run);
  for (const block of run)
    eachLine(block, REPEATED_LINES_LEVELS, (element) => {
      if (element === block) return;
      addLine(lines, textKeyOf(element, isForum), { block, element });
      if (holdsPosts) addLine(lines, makeKeyOf(element, makesOfTexts), { block, element });
    });
  return lines.values();
}

function isProse(run: readonly Element[]): boolean {
  const words = run.reduce((sum, block) => sum + block.words, 0);
  return run.reduce((sum, block) => sum + proseWordsOf(block), 0) >= words * REPEATED_LINES_PROSE_SHARE;
}

/** Groups the children of an element by make. Table rows are data. */
function runsIn(root: Element): Element[][] {
  if (root.children.length < REPEATED_LINES_RUN_LENGTH) return [];
  const byMake = new Map<string, Element[]>();
  for (const child of root.children) {
    if (!isElement(child) || isLeftOut(child) || child.words === 0) continue;
    if (child.tag === 'tr' || child.tag === 'tbody') continue;
    const make = makeOf(child);
    const run = byMake.get(make);
    if (run) run.push(child);
    else byMake.set(make, [child]);
  }
  return [...byMake.values()].filter((run) => run.length >= REPEATED_LINES_RUN_LENGTH);
}

function textKeyOf(element: Element, isForum: boolean): string | undefined {
  const line = visibleLine(element, REPEATED_LINES_LINE_CHARS).toLowerCase();
  const key = isForum ? line.replace(/[\d\s.,:]+/g, ' ').trim() : line;
  return /\p{L}{2}/u.test(key) ? key : undefined;
}

/** Returns the make of a label, if it has a class. */
function makeKeyOf(element: Element, makesOfTexts: ReadonlySet<string>): string | undefined {
  if (element.attributes['class'] === undefined || element.tag === 'p' || isSentence(element) || !element.parent)
    return undefined;
  const key = labelKeyOf(element, element.parent);
  return makesOfTexts.has(key) ? undefined : key;
}

function addLine(
  lines: Map<string, RepeatedLine>,
  key: string | undefined,
  { block, element }: { block: Element; element: Element },
): void {
  if (key === undefined) return;
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
