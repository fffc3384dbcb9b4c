/** Single stages of reading a page, for evaluations and tools. Services use the functions of `index.ts`. */
export { contentHash } from './blocks/content-hash.ts';
export { RULES_AFTER_CHOICE, RULES_BEFORE_CHOICE, RULES_BEFORE_HEADLINE } from './main/content-rules.ts';
export { toText } from './output/write-text.ts';
export { measurePage } from './tree/measure-page.ts';
export { Flag, type Page } from './tree/page-tree.ts';
export { parsePage } from './tree/parse-page.ts';
export { protectionOf } from './verdict/challenge.ts';
