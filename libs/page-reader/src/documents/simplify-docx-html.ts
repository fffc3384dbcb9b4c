import { parseHTML } from 'linkedom';
import { EDITED_CHARS } from './model/thresholds.ts';

/** Replaces pictures by their descriptions, and a table cell's only paragraph by its content. */
export function simplifyDocxHtml(html: string): { readonly html: string; readonly isWhole: boolean } {
  if (html.length > EDITED_CHARS) return { html, isWhole: false };
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  for (const image of document.querySelectorAll('img')) {
    const description = image.getAttribute('alt') ?? '';
    image.replaceWith(...(description === '' ? [] : [`[${description}]`]));
  }
  for (const cell of document.querySelectorAll('td, th')) {
    const [only, ...others] = cell.childNodes;
    if (only?.nodeName === 'P' && others.length === 0) only.replaceWith(...only.childNodes);
  }
  // linkedom writes `&` in attributes unescaped: `&amp;copy;` of a URL would come out as `&copy;`.
  for (const element of document.querySelectorAll('[href], [id]')) {
    for (const { name, value } of [...element.attributes]) element.setAttribute(name, value.replaceAll('&', '&amp;'));
  }
  return { html: document.body.innerHTML, isWhole: true };
}
