import { type Element, visibleLine } from '../tree/page-tree.ts';
import { foldText, isHeadingTag } from './prose.ts';

const LINE_CHARS = 200;
/** Letters of the text that an id with a prefix must contain, and the share of them that a short id must have. */
const LETTERS = 16;
const SHARE = 0.6;

/** True for a heading, or a line in one, whose id is made from its text. Such an id is no name of a part of the page. */
export function hasIdOfText(element: Element): boolean {
  const { id } = element.attributes;
  if (id === undefined || !(isHeadingTag(element.tag) || isHeadingTag(element.parent?.tag ?? ''))) return false;
  const text = foldText(visibleLine(element, LINE_CHARS));
  const name = foldText(id);
  if (name === '' || text === '') return false;
  return name.includes(text.slice(0, LETTERS)) || (text.startsWith(name) && name.length >= text.length * SHARE);
}
