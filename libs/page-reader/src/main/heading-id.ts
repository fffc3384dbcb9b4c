import { type Element, visibleLine } from '../tree/page-tree.ts';
import { foldText, isHeadingTag } from './prose.ts';
import { HEADING_ID_LETTERS, HEADING_ID_LINE_CHARS, HEADING_ID_SHARE } from './thresholds.ts';

/** True for a heading, or a line in one, whose id is made from its text. Such an id is no name of a part of the page. */
export function hasIdOfText(element: Element): boolean {
  const { id } = element.attributes;
  if (id === undefined || !(isHeadingTag(element.tag) || isHeadingTag(element.parent?.tag ?? ''))) return false;
  const text = foldText(visibleLine(element, HEADING_ID_LINE_CHARS));
  const name = foldText(id);
  if (name === '' || text === '') return false;
  return (
    name.includes(text.slice(0, HEADING_ID_LETTERS)) ||
    (text.startsWith(name) && name.length >= text.length * HEADING_ID_SHARE)
  );
}
