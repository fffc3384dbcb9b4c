/**
 * Thresholds of the stage "evidence". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds evidence --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// find-doubts.ts
/**
 * Characters. Lines with fewer characters are labels, links or facts, not prose. Ideographs count twice.
 * Effect: 30 +0.0000 verdicts (27 pages), 120 +0.0000 verdicts (56 pages) of 796 pages.
 */
export const LONG_LINE = 60;
/**
 * Lines. A text with fewer lines is too short to compare its lines.
 * Effect: 4 +0.0000 verdicts (5 pages), 16 +0.0000 verdicts (4 pages) of 796 pages.
 */
export const MIN_LINES = 8;
/**
 * Share of lines. A text with more short lines is doubted.
 * Effect: 0.45 +0.0000 verdicts (263 pages), 0.95 +0.0000 verdicts (15 pages) of 796 pages.
 */
export const SHORT_LINES_SHARE = 0.9;
/**
 * Share of the page. Content with less of the page's words is doubted.
 * Effect: 0.05 +0.0000 verdicts (7 pages), 0.2 +0.0000 verdicts (37 pages) of 796 pages.
 */
export const SMALL_SHARE = 0.1;
/**
 * Share of the page. Content with less of the page's words must contain the description.
 * Effect: 0.175 +0.0000 verdicts (12 pages), 0.7 +0.0000 verdicts (38 pages) of 796 pages.
 */
export const DESCRIBED_SHARE = 0.35;
/**
 * Words. A shorter declared body of an article is not compared.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ARTICLE_WORDS = 60;
/**
 * Share of words. Content with less of the declared body of the article is doubted.
 * Effect: 0.25 none, 1 +0.0000 verdicts (7 pages) of 796 pages.
 */
export const ARTICLE_SHARE = 0.5;
/**
 * Words. Words of the description that are searched for. It may be cut off after them.
 * Effect: 4 +0.0000 verdicts (4 pages), 16 +0.0000 verdicts (6 pages) of 796 pages.
 */
export const DESCRIPTION_WORDS = 8;

// own-sentences.ts
/**
 * Share of link text. Minimum share of link text in a box that is site chrome by its name.
 * Effect: 0.2 +0.0000 verdicts (26 pages), 0.8 +0.0000 verdicts (50 pages) of 796 pages.
 */
export const CHROME_LINKS = 0.4;
/**
 * Words. A line of links with fewer words each is a menu.
 * Effect: 2 +0.0000 verdicts (134 pages), 6 +0.0000 verdicts (165 pages) of 796 pages.
 */
export const MENU_WORDS = 3;

// page-shape.ts
/**
 * Words. A page that is a form has fewer in its content.
 * Effect: 75 +0.0000 verdicts (8 pages), 300 +0.0000 verdicts (7 pages) of 796 pages.
 */
export const FORM_WORDS = 150;
/**
 * Paragraphs. A page that is a form has fewer.
 * Effect: 2 +0.0000 verdicts (5 pages), 8 +0.0000 verdicts (8 pages) of 796 pages.
 */
export const FORM_PARAGRAPHS = 4;
/**
 * Words. An empty page has fewer.
 * Effect: 3 +0.0000 verdicts (6 pages), 10 +0.0000 verdicts (17 pages) of 796 pages.
 */
export const EMPTY_WORDS = 5;
/**
 * Images. An empty page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const EMPTY_IMAGES = 3;
/**
 * Rows. A page that is a table has as many.
 * Effect: 3 +0.0000 verdicts (1 page), 10 +0.0000 verdicts (1 page) of 796 pages.
 */
export const TABLE_ROWS = 5;
/**
 * Share of the content. The table of such a page holds more.
 * Effect: 0.3 +0.0000 verdicts (5 pages), 0.8 +0.0000 verdicts (2 pages) of 796 pages.
 */
export const TABLE_SHARE = 0.6;
/**
 * Blocks. A listing has as many like blocks.
 * Effect: 3 none, 10 +0.0000 verdicts (18 pages) of 796 pages.
 */
export const LISTING_BLOCKS = 5;
/**
 * Share of the content. The blocks of a listing hold more.
 * Effect: 0.175 +0.0000 verdicts (19 pages), 0.7 +0.0000 verdicts (17 pages) of 796 pages.
 */
export const LISTING_SHARE = 0.35;
/**
 * Share of link text. A listing has more.
 * Effect: 0.125 +0.0000 verdicts (41 pages), 0.5 +0.0000 verdicts (25 pages) of 796 pages.
 */
export const LISTING_DENSITY = 0.25;

// read-evidence.ts
/**
 * Words. The root of an application with fewer is empty.
 * Effect: none on 796 pages: kept as a bound.
 */
export const APP_ROOT_WORDS = 12;
/**
 * Words. A paragraph that counts has more.
 * Effect: 4 +0.0000 verdicts (528 pages), 16 +0.0000 verdicts (573 pages) of 796 pages.
 */
export const PARAGRAPH_WORDS = 8;
/**
 * Words. The sentences of a page with more in its content are not collected: its length decides.
 * Effect: 200 +0.0000 verdicts (36 pages), 800 +0.0000 verdicts (137 pages) of 796 pages.
 */
export const LONG_CONTENT = 400;
/**
 * Words. The same for the words of the whole page.
 * Effect: 400 +0.0000 verdicts (27 pages), 1600 +0.0000 verdicts (194 pages) of 796 pages.
 */
export const LONG_BODY = 800;

// repeated-blocks.ts
/**
 * Elements. Blocks repeat in a box with as many children.
 * Effect: 3 none, 10 +0.0000 verdicts (91 pages) of 796 pages.
 */
export const REPEATED_CHILDREN = 5;
/**
 * Blocks. As many like children are repeated blocks.
 * Effect: 3 +0.0000 verdicts (237 pages), 10 +0.0000 verdicts (400 pages) of 796 pages.
 */
export const REPEATED_BLOCKS = 5;

// Bounds
// find-doubts.ts
/** Characters. Text of the page in which the declared body is searched. */
export const BODY_CHARS = 50_000;

// missing-template.ts
/** Levels of boxes below the body in which the template is named. */
export const LEVELS = 4;

// own-sentences.ts
/** Sentences that are collected. The number of words classifies a page with more. */
export const MAX_SENTENCES = 100;
/** Characters. Sentences that are collected, together. */
export const MAX_CHARS = 4_000;

// read-evidence.ts
/** Characters. Start of a script that is kept. */
export const SCRIPT_CHARS = 4_000;
/** Characters. Start of the text that is kept. */
export const OPENING_CHARS = 3_000;
/** Characters. Names of classes and ids that are kept. */
export const NAME_CHARS = 60_000;
/** Headings. Those of a page that are kept. */
export const HEADINGS_CAP = 10;
/** Characters. Text of all scripts of a page that is kept. */
export const SCRIPTS_CHARS_CAP = 200_000;
