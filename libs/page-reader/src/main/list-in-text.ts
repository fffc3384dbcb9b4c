import { type Element, isElement } from '../tree/page-tree.ts';
import { isHeadingTag } from './prose.ts';
import { LIST_IN_TEXT_SIBLINGS_CAP, LIST_TEXT_DENSITY } from './thresholds.ts';

/** True for a list between a heading or paragraph and more text: an article that refers to other pages. */
export function isListInText(element: Element): boolean {
  const { tag, parent } = element;
  if ((tag !== 'ul' && tag !== 'ol') || !parent || parent.children.length > LIST_IN_TEXT_SIBLINGS_CAP) return false;
  const shown = parent.children.filter((child): child is Element => isElement(child) && child.words > 0);
  const at = shown.indexOf(element);
  const [before, after] = [shown[at - 1], shown[at + 1]];
  return before !== undefined && after !== undefined && introduces(before) && isText(after);
}

const isText = ({ tag }: Element): boolean => tag === 'p' || (isHeadingTag(tag) && tag !== 'h1');

const introduces = (element: Element): boolean =>
  isText(element) && (element.tag !== 'p' || element.linkWords < element.words * LIST_TEXT_DENSITY);
