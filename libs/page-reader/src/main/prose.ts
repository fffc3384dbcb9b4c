import { type Element, Flag } from '../tree/page-tree.ts';
import { PROSE_DENSITY, PROSE_WORDS, SENTENCE_WORDS } from './thresholds.ts';

const HEADING_TAGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const LEFT_OUT = Flag.notRendered | Flag.boilerplate;

/** True for an element without blocks inside it: one line or paragraph. */
export const isLeaf = (element: Element): boolean => (element.flags & Flag.hasBlock) === 0;

export const isLeftOut = (element: Element): boolean => (element.flags & LEFT_OUT) !== 0;

/** True for a line that reads as a sentence instead of a label. */
export const isSentence = ({ words, linkWords, punctuation }: Element): boolean =>
  words - linkWords >= PROSE_WORDS && (words >= SENTENCE_WORDS || punctuation > 1) && linkWords < words * PROSE_DENSITY;

/** Returns the words outside links in the sentences below an element, without parts that are left out. */
export function proseWordsOf(element: Element): number {
  if (isLeftOut(element)) return 0;
  let words = 0;
  if (isLeaf(element)) words = isSentence(element) ? element.words - element.linkWords : 0;
  else {
    if (element.ownWords >= SENTENCE_WORDS) words = element.ownWords;
    for (const child of element.children)
      if (typeof child !== 'string' && child.words > 0) words += proseWordsOf(child);
  }
  return words;
}

/** Returns the first descendant with words that passes the test, in document order. */
export function findShown(start: Element, passes: (element: Element) => boolean): Element | undefined {
  for (const child of start.children) {
    if (typeof child === 'string' || child.words === 0) continue;
    if (passes(child)) return child;
    const found = findShown(child, passes);
    if (found) return found;
  }
  return undefined;
}

export const isHeadingTag = (tag: string): boolean => HEADING_TAGS.has(tag);

/** Removes case, white space and punctuation, so that copies of a text are equal. */
export const foldText = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '');
