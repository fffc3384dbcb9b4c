import { bodyOf, cleanPage } from './clean-page.ts';
import { adopt, attributeOf, findIn, setAttributeOf } from './page-access.ts';

/** Attributes of the root element that styles refer to. */
const ROOT_ATTRIBUTES = ['lang', 'dir', 'class', 'id'];

/** Shows a stored page without what is active in it. Only its body takes the focus. @returns its body */
export function showPage(html: string): HTMLElement {
  const parsed = cleanPage(html);
  for (const style of findIn(parsed, 'head style')) document.head.prepend(adopt(style));
  for (const name of ROOT_ATTRIBUTES) {
    const value = attributeOf(parsed.documentElement, name);
    if (value !== null) setAttributeOf(document.documentElement, name, value);
  }
  const body = bodyOf(parsed);
  document.body.replaceWith(adopt(body));
  setAttributeOf(body, 'tabindex', '0');
  setAttributeOf(body, 'role', 'application');
  setAttributeOf(body, 'aria-label', 'Stored page. The arrow keys move between its elements, Enter chooses one.');
  return body;
}
