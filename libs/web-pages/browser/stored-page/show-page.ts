import {
  adopt,
  attributeNamesOf,
  attributeOf,
  findIn,
  nameOf,
  removeAttributeOf,
  setAttributeOf,
} from './page-access.ts';

/** Elements that run, load or navigate. The policy of the document refuses what they do; without them it also reports nothing. */
const ACTIVE = 'script, meta, base, link, iframe, frame, frameset, object, embed, portal, fencedframe, audio, video';
const ACTIVE_ATTRIBUTES = /^(on.*|srcdoc|ping|autofocus|popover.*|action|formaction|accesskey)$/i;
const FOCUSABLE = /^(a|area|button|input|select|textarea|summary|details)$/;
/** Attributes of the root element that styles refer to. */
const ROOT_ATTRIBUTES = ['lang', 'dir', 'class', 'id'];

/** Shows a stored page without what is active in it. Only its body takes the focus. @returns its body */
export function showPage(html: string): HTMLElement {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const node of findIn(parsed, ACTIVE)) node.remove();
  for (const node of findIn(parsed, '*')) {
    for (const name of attributeNamesOf(node)) if (ACTIVE_ATTRIBUTES.test(name)) removeAttributeOf(node, name);
    if (FOCUSABLE.test(nameOf(node)) || attributeOf(node, 'tabindex') !== null) setAttributeOf(node, 'tabindex', '-1');
  }
  for (const style of findIn(parsed, 'head style')) document.head.prepend(adopt(style));
  for (const name of ROOT_ATTRIBUTES) {
    const value = attributeOf(parsed.documentElement, name);
    if (value !== null) setAttributeOf(document.documentElement, name, value);
  }
  const body = parsed.body instanceof HTMLBodyElement ? parsed.body : parsed.createElement('body');
  document.body.replaceWith(adopt(body));
  setAttributeOf(body, 'tabindex', '0');
  setAttributeOf(body, 'role', 'application');
  setAttributeOf(body, 'aria-label', 'Stored page. The arrow keys move between its elements, Enter chooses one.');
  return body;
}
