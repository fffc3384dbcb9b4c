import { type Element, findFirst } from '../tree/page-tree.ts';
import { isSentence } from './prose.ts';

/** True for a box with a quotation between two paragraphs of a text, such as an embedded post. */
export function isQuoteInText(element: Element): boolean {
  if (element.linkWords > element.words * 0.3) return false;
  if (!findFirst(element, (inner) => inner.tag === 'blockquote' && inner.words > 5)) return false;
  const siblings = element.parent?.children.filter((child) => typeof child !== 'string' && child.words > 0) ?? [];
  const at = siblings.indexOf(element);
  return [siblings[at - 1], siblings[at + 1]].every(
    (next) => next !== undefined && typeof next !== 'string' && next.tag === 'p' && isSentence(next),
  );
}
