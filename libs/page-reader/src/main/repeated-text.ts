import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, isElement, isWithin, visibleLine } from '../tree/page-tree.ts';
import { isHeadingTag, isLeaf, isLeftOut } from './prose.ts';
import {
  ANCHOR_WORDS,
  BOXES_CAP,
  COPY_LINES,
  COPY_WORDS,
  EQUAL_ENTRIES,
  QUOTE_WORDS,
  REPEATED_TEXT_BOX_WORDS,
  TEXT_CHARS,
} from './thresholds.ts';

/** Elements whose content is repeated on purpose. */
const DATA_TAGS = new Set(['pre', 'table']);

/** Returns the children whose text is compared, without lists of equal entries. */
function comparedChildren(element: Element): Element[] {
  const shown = element.children.filter(
    (child): child is Element => isElement(child) && child.words > 0 && !isLeftOut(child) && !DATA_TAGS.has(child.tag),
  );
  const compared: Element[] = [];
  let from = 0;
  for (const [at, child] of shown.entries()) {
    const next = shown[at + 1];
    if (next && countsOf(child) === countsOf(next) && makeOf(child) === makeOf(next) && hasSameText(child, next))
      continue;
    if (at + 1 - from < EQUAL_ENTRIES) compared.push(...shown.slice(from, at + 1));
    from = at + 1;
  }
  return compared;
}

/** Marks the quotations of earlier posts of a conversation. */
export const dropQuotations = (root: Element): void => dropKnownLines(root, new Set());

function dropKnownLines(element: Element, seen: Set<string>): void {
  for (const child of comparedChildren(element)) {
    if (!isLeaf(child)) dropKnownLines(child, seen);
    else if (child.words >= QUOTE_WORDS && !isHeadingTag(child.tag)) {
      const text = visibleLine(child, TEXT_CHARS);
      if (seen.has(text)) child.flags |= Flag.boilerplate;
      else seen.add(text);
    }
  }
}

/** Identifies elements that may have the same text, without their text. */
const countsOf = ({ words, punctuation }: Element): number => words * 10_000 + punctuation;

const hasSameText = (first: Element, second: Element): boolean =>
  countsOf(first) === countsOf(second) && visibleLine(first, TEXT_CHARS) === visibleLine(second, TEXT_CHARS);

/** Marks second copies of sections, which pages have for narrow screens or for printing. */
export function dropSecondCopies(root: Element): void {
  dropEqualBoxes(root, new Map());
  dropEqualLines(linesOf(root, []));
}

function dropEqualBoxes(element: Element, seen: Map<number, Element[]>): void {
  for (const child of comparedChildren(element)) {
    if (child.words < REPEATED_TEXT_BOX_WORDS || isLeaf(child)) continue;
    const earlier = seen.get(countsOf(child));
    if (earlier?.some((box) => !isWithin(child, box) && hasSameText(box, child))) {
      child.flags |= Flag.boilerplate;
      continue;
    }
    if (!earlier) seen.set(countsOf(child), [child]);
    else if (earlier.length < BOXES_CAP) earlier.push(child);
    dropEqualBoxes(child, seen);
  }
}

function linesOf(element: Element, lines: Element[]): Element[] {
  for (const child of comparedChildren(element)) {
    if (isLeaf(child)) lines.push(child);
    else linesOf(child, lines);
  }
  return lines;
}

function dropEqualLines(lines: readonly Element[]): void {
  const firstOf = new Map<number, number>();
  let end = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (!line || at < end || line.words < ANCHOR_WORDS) continue;
    const first = firstOf.get(countsOf(line));
    if (first === undefined) {
      firstOf.set(countsOf(line), at);
      continue;
    }
    const copy = copyAround(lines, { first, at, end });
    if (copy.length < COPY_LINES || copy.reduce((sum, { words }) => sum + words, 0) < COPY_WORDS) continue;
    for (const repeated of copy) repeated.flags |= Flag.boilerplate;
    end = lines.indexOf(copy[copy.length - 1] ?? line, at) + 1;
  }
}

/** Returns the lines around a line that repeat, in order, those around its first copy. */
function copyAround(
  lines: readonly Element[],
  { first, at, end }: { first: number; at: number; end: number },
): Element[] {
  const isCopy = (offset: number): boolean => {
    const [original, line] = [lines[first + offset], lines[at + offset]];
    return original !== undefined && line !== undefined && hasSameText(original, line);
  };
  let from = 0;
  let to = 0;
  while (at + from > Math.max(end, first + to) && isCopy(from - 1)) from--;
  while (first + to < at + from && isCopy(to)) to++;
  return lines.slice(at + from, at + to);
}
