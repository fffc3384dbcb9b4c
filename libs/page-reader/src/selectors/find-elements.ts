import { Element, type Page } from '../tree/page-tree.ts';
import { CssSearch } from './css-search.ts';
import { isXpath, RefusedSelector } from './selector-limits.ts';
import { XpathSearch } from './xpath-search.ts';

/** The last step of a path to an attribute or a text. */
const VALUE_STEP = /\/{1,2}(?:text\(\)|@[\w:-]+|node\(\))\s*$/;

/**
 * Returns the elements that a CSS selector or an XPath matches, in document order. A path that ends at an attribute or a text matches
 * its element. Selectors are untrusted: one that is invalid, or too costly for this page, matches nothing. Never throws.
 */
export function findElements(page: Page, selector: string): Element[] {
  try {
    if (!isXpath(selector)) return new CssSearch(page).find(selector);
    const path = selector.trim().replace(VALUE_STEP, '');
    return new XpathSearch(page).all(path).filter((match) => match instanceof Element);
  } catch (error) {
    if (error instanceof RefusedSelector) return [];
    throw error;
  }
}
