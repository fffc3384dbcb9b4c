/**
 * Thresholds of the stage "parse" and "measure". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds tree --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// hidden-panels.ts
/**
 * Words. A hidden panel with fewer is a menu, a message or a label.
 * Effect: none on 606 pages: kept as a bound.
 */
export const PANEL_WORDS = 20;
/**
 * Share of link text. A hidden panel with more is a menu.
 * Effect: none on 606 pages: kept as a bound.
 */
export const LINK_SHARE = 0.3;
/**
 * Marks of punctuation. A hidden panel with fewer is a menu or a label.
 * Effect: none on 606 pages: kept as a bound.
 */
export const PUNCTUATION = 2;
/**
 * Share. A panel that a control names, with more of its words in links, is a menu.
 * Effect: none on 606 pages: kept as a bound.
 */
export const MENU_SHARE = 0.5;
/**
 * Words. Words of the label of a tab.
 * Effect: none on 606 pages: kept as a bound.
 */
export const LABEL_WORDS = 6;

// measure-page.ts
/**
 * Elements. A noscript that holds content has more children.
 * Effect: none on 606 pages: kept as a bound.
 */
export const NOSCRIPT_CHILDREN = 3;
/**
 * Words. A page with fewer visible words than this may keep its content in noscript, as Discourse does.
 * Effect: none on 606 pages: kept as a bound.
 */
export const FEW_WORDS = 80;

// Bounds
// hidden-panels.ts
/** Elements. Hidden elements of a page that are examined. */
export const HIDDEN_CAP = 500;
/** Elements. Siblings that are searched for the labels of panels. */
export const SIBLINGS_CAP = 200;
/** Levels. Elements around a list of labels. */
export const WRAPPERS = 3;

// name-hints.ts
/** Names whose hints are kept. Sites have a few thousand, and the pages of a site share most of them. */
export const NAMES_CAP = 20_000;
/** Characters. Start of a class attribute that is read. */
export const NAME_CHARS = 400;

// open-elements.ts
/** Elements. Open elements searched for the start tag of an end tag. Bounds the cost of stray end tags on deep pages. */
export const ANCESTOR_CAP = 600;

// parse-page.ts
/** Elements. Beyond as many, tags are ignored and only text is kept. */
export const MAX_ELEMENTS = 1_000_000;

// tree-builder.ts
/** Levels. Browsers stop nesting at 512 levels and make deeper elements siblings. Later walks may therefore recurse. */
export const DEPTH_CAP = 512;
