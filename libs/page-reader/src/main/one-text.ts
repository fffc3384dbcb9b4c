import { type Element, Flag, isElement } from '../tree/page-tree.ts';
import { isLeaf, isSentence } from './prose.ts';
import { ONE_TEXT_TEXT_SHARE, ONE_TEXT_TEXT_WORDS } from './thresholds.ts';

/** True for a page most of whose paragraphs stand in one element. The paragraphs of a list stand in its entries. */
export function holdsOneText(body: Element, minWords = ONE_TEXT_TEXT_WORDS): boolean {
  const tally = { largest: 0, total: 0 };
  count(body, tally);
  return tally.largest >= minWords && tally.largest >= tally.total * ONE_TEXT_TEXT_SHARE;
}

function count(element: Element, tally: { largest: number; total: number }): void {
  let own = 0;
  for (const child of element.children) {
    if (!isElement(child) || child.words === 0 || (child.flags & Flag.notRendered) !== 0) continue;
    if (!isLeaf(child)) count(child, tally);
    else if (child.tag === 'p' && isSentence(child)) own += child.words - child.linkWords;
  }
  tally.total += own;
  tally.largest = Math.max(tally.largest, own);
}
