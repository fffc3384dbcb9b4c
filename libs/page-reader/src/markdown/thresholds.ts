/**
 * Thresholds of the stage "outputs": markdown. A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds markdown --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// callouts.ts
/**
 * Words. A callout has at most as many.
 * Effect: none on 113 pages: kept as a bound.
 */
export const CALLOUT_WORDS = 2_000;
/**
 * Words. The title of a callout has at most as many.
 * Effect: none on 113 pages: kept as a bound.
 */
export const CALLOUT_TITLE_WORDS = 3;

// captions.ts
/**
 * Characters. A caption that starts with a longer alternative text replaces it.
 * Effect: 12 +0.0000 (1 page), 48 -0.0006 (2 pages) of 113 pages.
 */
export const ALT_CHARS = 24;
/**
 * Characters. Text of a caption that is compared with the alternative text.
 * Effect: none on 113 pages: kept as a bound.
 */
export const CAPTION_CHARS = 400;

// footnotes.ts
/**
 * Words. A note has at most as many.
 * Effect: none on 113 pages: kept as a bound.
 */
export const NOTE_WORDS = 400;

// table-grid.ts
/**
 * Words. A cell with more is a part of a layout.
 * Effect: none on 113 pages: kept as a bound.
 */
export const CELL_WORDS = 60;
/**
 * Ratio of cells. A table with more than one of as many cells large is a layout.
 * Effect: none on 113 pages: kept as a bound.
 */
export const LAYOUT_RATIO = 3;

// title-heading.ts
/**
 * Characters. Letters and digits of a title's start; punctuation and case differ between a page's title and its heading.
 * Effect: none on 113 pages: kept as a bound.
 */
export const TITLE_CHARS = 400;

// Bounds
// captions.ts
/** Levels. Ancestors searched for the image of a caption. */
export const ANCESTOR_CAP = 4;
/** Elements searched for images, all captions of a page together. */
export const SEARCH_CAP = 200_000;

// fenced-code.ts
/** Levels. Ancestors that may name the language of code. */
export const LANGUAGE_LEVELS = 6;

// footnotes.ts
/** Levels. Ancestors that may be the box of a note. */
export const NOTE_LEVELS = 5;
/** Elements. Side notes are not searched among more siblings than this. */
export const FOOTNOTES_NEIGHBOURS_CAP = 400;

// inline-markdown.ts
/** Elements. Siblings of a noscript searched for a visible image. */
export const INLINE_MARKDOWN_NEIGHBOURS_CAP = 40;

// table-grid.ts
/** Cells. Rows or columns that one cell spans. */
export const SPAN_CAP = 100;
/** Columns of a table. */
export const COLUMN_CAP = 200;

// unlinked-footnotes.ts
/** Notes of a page. */
export const NOTE_CAP = 200;
/** Elements. Headings are not searched among more siblings than this. */
export const UNLINKED_FOOTNOTES_NEIGHBOURS_CAP = 2_000;
