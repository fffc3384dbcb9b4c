import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, isWithin } from '../tree/page-tree.ts';
import { isLeaf, isLeftOut, proseWordsOf } from './prose.ts';
import { SECOND_TEXT_HEADINGS_CAP, SECOND_TEXT_TEXT_WORDS } from './thresholds.ts';

/**
 * Marks the boxes after the text of the headline that have their own heading of the first level: the next article, a
 * list of tools. Boxes of one make are sections or entries of the page.
 */
export function dropSecondTexts(root: Element, headline: Element, headings: readonly Element[]): void {
  if (!isWithin(headline, root)) return;
  const from = headings.indexOf(headline) + 1;
  for (const heading of headings.slice(from, from + SECOND_TEXT_HEADINGS_CAP)) {
    if (heading.words === 0 || isLeftOut(heading) || !isWithin(heading, root)) continue;
    const [text, second] = branchesOf(headline, heading);
    if (!text || !second || isLeaf(text) || isLeaf(second) || makeOf(text) === makeOf(second)) continue;
    if (proseWordsOf(text) >= SECOND_TEXT_TEXT_WORDS) second.flags |= Flag.boilerplate;
  }
}

/** Returns the children of the closest common ancestor that hold the two elements. */
function branchesOf(first: Element, second: Element): [Element, Element] | [] {
  let left = first;
  for (let box = first.parent; box; left = box, box = box.parent) {
    if (!isWithin(second, box)) continue;
    let right = second;
    while (right.parent && right.parent !== box) right = right.parent;
    return [left, right];
  }
  return [];
}
