/** What comparisons use: the tree of a page with all attributes, selectors on it, and its content blocks. Loads no reader of documents. */
export { hashesOf } from './blocks/block-hash.ts';
export { contentBlocks } from './blocks/content-hash.ts';
export { attributeOf } from './selectors/css-search.ts';
export { findElements } from './selectors/find-elements.ts';
export { Element, isElement, type Page, type TreeNode } from './tree/page-tree.ts';
export { parsePage } from './tree/parse-page.ts';
