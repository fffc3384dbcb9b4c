import { type Element, Flag, inheritsFlag, isElement, isWithin, visibleLine } from '../tree/page-tree.ts';
import { foldText, isHeadingTag, isLeaf, isLeftOut, isSentence, proseWordsOf } from './prose.ts';
import { BEFORE_SHARE, OPENING_LETTERS, OPENING_LINE_CHARS, OPENING_MIN_WORDS } from './thresholds.ts';

/**
 * Marks what precedes the first post of a conversation, which the page's description repeats: notices, rules and the
 * controls of the list. Headings stay.
 */
export function dropBeforeOpening(root: Element, description: string | undefined): void {
  const expected = foldText(description ?? '').slice(0, OPENING_LETTERS);
  if (expected === '') return;
  const before: Element[] = [];
  if (!collect(root, expected, before)) return;
  for (const line of before) line.flags |= Flag.boilerplate;
}

/** Collects the lines before the one with the expected text. Returns true if it is below the element. */
function collect(element: Element, expected: string, before: Element[]): boolean {
  for (const child of element.children) {
    if (!isElement(child) || isLeftOut(child) || child.words === 0) continue;
    if (!isLeaf(child)) {
      if (collect(child, expected, before)) return true;
    } else if (child.words >= OPENING_MIN_WORDS && repeats(child, expected)) return true;
    else if (!isHeadingTag(child.tag)) before.push(child);
  }
  return false;
}

function repeats(line: Element, expected: string): boolean {
  const text = foldText(visibleLine(line, OPENING_LINE_CHARS)).slice(0, OPENING_LETTERS);
  return text === expected || (text.length >= OPENING_LETTERS / 2 && expected.startsWith(text));
}

const LEFT_OUT = Flag.notRendered | Flag.boilerplate;

/**
 * Marks what precedes the headline of a page: notices, the author's profile, controls. Does nothing if the element has
 * another heading of the first level, which makes the first one the title of a section.
 */
export function dropBeforeHeadline(root: Element, headline: Element, headings: readonly Element[]): void {
  const before: Element[] = [];
  if (!collectBefore(root, headline, before) || before.length === 0) return;
  if (
    headings.some(
      (other) => other !== headline && other.words > 0 && isWithin(other, root) && !inheritsFlag(other, LEFT_OUT),
    )
  )
    return;
  const prose = before.reduce((sum, line) => sum + (isSentence(line) ? line.words - line.linkWords : 0), 0);
  if (prose > proseWordsOf(root) * BEFORE_SHARE) return;
  for (const line of before) line.flags |= Flag.boilerplate;
}

/** Collects the lines before the headline. Returns true if it is below the element. */
function collectBefore(element: Element, headline: Element, before: Element[]): boolean {
  for (const child of element.children) {
    if (!isElement(child) || isLeftOut(child) || child.words === 0) continue;
    if (child === headline) return true;
    if (isLeaf(child)) before.push(child);
    else if (collectBefore(child, headline, before)) return true;
  }
  return false;
}
