/** The tree of a page with all attributes, and selectors on it, for comparisons of markup. Loads no reader of documents. */
export { attributeOf } from './selectors/css-search.ts';
export { findElements } from './selectors/find-elements.ts';
export { Element, isElement, type Page, type TreeNode } from './tree/page-tree.ts';
export { parsePage } from './tree/parse-page.ts';
