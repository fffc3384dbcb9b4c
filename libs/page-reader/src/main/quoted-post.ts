import type { Element } from '../tree/page-tree.ts';
import { findShown, isLeaf, isSentence } from './prose.ts';
import { POST_DENSITY, POST_WORDS, QUOTED_POST_SIBLINGS_CAP, QUOTED_WORDS } from './thresholds.ts';

/** True for a box with a quotation between two paragraphs of a text, such as an embedded post. */
export function isQuoteInText(element: Element): boolean {
  const siblingCount = element.parent?.children.length ?? 0;
  if (isLeaf(element) || element.words > POST_WORDS || siblingCount > QUOTED_POST_SIBLINGS_CAP) return false;
  if (element.linkWords > element.words * POST_DENSITY) return false;
  if (!findShown(element, (inner) => inner.tag === 'blockquote' && inner.words > QUOTED_WORDS)) return false;
  const siblings = element.parent?.children.filter((child) => typeof child !== 'string' && child.words > 0) ?? [];
  const at = siblings.indexOf(element);
  return [siblings[at - 1], siblings[at + 1]].every(
    (next) => next !== undefined && typeof next !== 'string' && next.tag === 'p' && isSentence(next),
  );
}
