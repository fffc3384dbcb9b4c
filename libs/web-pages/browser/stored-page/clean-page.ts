import { attributeNamesOf, attributeOf, findIn, nameOf, removeAttributeOf, setAttributeOf } from './page-access.ts';

/** Elements that run, load or navigate. The policy of the document refuses what they do; without them it also reports nothing. */
const ACTIVE = 'script, meta, base, link, iframe, frame, frameset, object, embed, portal, fencedframe, audio, video';
const ACTIVE_ATTRIBUTES = /^(on.*|srcdoc|ping|autofocus|popover.*|action|formaction|accesskey)$/i;
const FOCUSABLE = /^(a|area|button|input|select|textarea|summary|details)$/;

/** Parses a stored page without running or loading anything, and removes what is active in it. Nothing in it takes the focus. */
export function cleanPage(html: string): Document {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const node of findIn(parsed, ACTIVE)) node.remove();
  for (const node of findIn(parsed, '*')) {
    for (const name of attributeNamesOf(node)) if (ACTIVE_ATTRIBUTES.test(name)) removeAttributeOf(node, name);
    if (FOCUSABLE.test(nameOf(node)) || attributeOf(node, 'tabindex') !== null) setAttributeOf(node, 'tabindex', '-1');
  }
  return parsed;
}

/** Returns the body of a parsed page. A frameset, or a form named body, is none. */
export const bodyOf = (parsed: Document): HTMLElement =>
  parsed.body instanceof HTMLBodyElement ? parsed.body : parsed.createElement('body');
