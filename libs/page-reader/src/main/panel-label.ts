import { type Element, isElement } from '../tree/page-tree.ts';
import { isHeadingTag, isLeaf, isSentence } from './prose.ts';
import { PANEL_LABEL_LABEL_WORDS, PANEL_LABEL_SIBLINGS_CAP, WRAPPERS } from './thresholds.ts';

/** True for a button that opens the text below it: the question of an answer, the heading of a section. */
export function labelsPanel(button: Element): boolean {
  if (button.words < PANEL_LABEL_LABEL_WORDS) return false;
  let label = button;
  for (let level = 0; level < WRAPPERS; level++) {
    if (isHeadingTag(label.tag)) return true;
    const next = nextShown(label);
    if (next) return holdsSentence(next);
    if (!label.parent || label.parent.words > button.words) return false;
    label = label.parent;
  }
  return false;
}

function nextShown(element: Element): Element | undefined {
  const siblings = element.parent?.children ?? [];
  if (siblings.length > PANEL_LABEL_SIBLINGS_CAP) return undefined;
  return siblings
    .slice(siblings.indexOf(element) + 1)
    .find((child): child is Element => isElement(child) && child.words > 0);
}

/** True for a box with a sentence that is not the label of another button. */
function holdsSentence(element: Element): boolean {
  if (element.tag === 'button' || element.words === 0) return false;
  if (isLeaf(element) && element.ownWords > 0) return isSentence(element);
  return element.children.some((child) => isElement(child) && holdsSentence(child));
}
