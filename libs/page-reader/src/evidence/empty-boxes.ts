import { type Element, Flag, findFirst } from '../tree/page-tree.ts';

/** True for a rendered element without words and without elements that are shown without words. */
export const isEmptyBox = (element: Element): boolean =>
  (element.flags & Flag.notRendered) === 0 &&
  element.words === 0 &&
  findFirst(element, ({ tag }) => SHOWN_WITHOUT_WORDS.has(tag)) === undefined;
const SHOWN_WITHOUT_WORDS = new Set('img svg canvas video audio iframe object embed input textarea select'.split(' '));

/** True for a child of the body where an application may mount, whatever its name. */
export const isEmptyMount = (element: Element): boolean =>
  (element.tag.includes('-') || (element.tag === 'div' && element.attributes['id'] !== undefined)) &&
  isEmptyBox(element);

/** Returns the text of a noscript element without its styles, at most `limit` characters. */
export function noscriptText(element: Element, limit: number): string {
  let text = '';
  for (const child of element.children) {
    if (text.length >= limit) break;
    if (typeof child === 'string') text += child;
    else if (child.tag !== 'style' && child.tag !== 'script' && child.tag !== 'iframe')
      text += ` ${noscriptText(child, limit - text.length)}`;
  }
  return text;
}
