/**
 * Thresholds of the stage "head". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds head --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// byline.ts
/**
 * Characters. A name of an author has fewer.
 * Effect: 40 -0.0213 author (12 pages), 160 +0.0030 author (1 page) of 660 pages.
 */
export const NAME_CHARS = 80;
/**
 * Words. A byline has at most as many.
 * Effect: 7 +0.0030 author (8 pages), 28 +0.0000 title (1 page) of 660 pages.
 */
export const BYLINE_WORDS = 14;
/**
 * Words. A link to the page of an author has fewer.
 * Effect: none on 660 pages: kept as a bound.
 */
export const LINKED_NAME_WORDS = 7;
/**
 * Words. A line with a date has fewer.
 * Effect: none on 660 pages: kept as a bound.
 */
export const DATE_LINE_WORDS = 15;

// detect-language.ts
/**
 * Words. Texts with fewer words are too short to classify.
 * Effect: none on 660 pages: kept as a bound.
 */
export const WORDS_NEEDED = 20;

// json-ld.ts
/**
 * Characters. A longer script of JSON-LD is not read.
 * Effect: none on 660 pages: kept as a bound.
 */
export const BLOCK_CHARS_CAP = 300_000;

// read-head.ts
/**
 * Characters. A heading that is compared with the title has more.
 * Effect: 2 none, 6 +0.0000 title (7 pages) of 660 pages.
 */
export const HEADLINE_CHARS = 3;
/**
 * Characters. The part of a title before a separator is the title alone if it has more.
 * Effect: 8 +0.0045 title (7 pages), 30 -0.0167 title (19 pages) of 660 pages.
 */
export const TITLE_PART_CHARS = 15;

// Bounds
// declared-product.ts
/** Properties. Microdata properties that are examined. */
export const PROPERTIES_CAP = 200;
/** Headings that are examined. */
export const HEADINGS_CAP = 20;

// detect-language.ts
/** Characters. Sample of the text. The cost grows with it; more does not improve the result. */
export const CHARS_READ = 1_000;

// json-ld.ts
/** Scripts of a page that are read as JSON-LD. */
export const BLOCK_CAP = 40;
/** Nodes of JSON-LD of a page. */
export const NODE_CAP = 300;

// read-head.ts
/** Elements. Meta elements that are read. */
export const META_CAP = 2_000;
/** Levels. Nested JSON-LD that is read. */
export const GRAPH_LEVELS = 4;
/** Levels. Nested values of a property of JSON-LD that are read. */
export const VALUE_LEVELS = 3;
