/**
 * Thresholds of the stage "frame". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds landmarks --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// landmarks.ts
/**
 * Share of link text. A callout with more is an aside.
 * Effect: 0.25 +0.0000 (1 page), 1 +0.0000 (4 pages) of 2415 pages.
 */
export const CALLOUT_DENSITY = 0.5;
/**
 * Share of link text. A box of the title has at most as much.
 * Effect: 0.25 +0.0000 (24 pages), 1 +0.0000 (57 pages) of 2415 pages.
 */
export const TITLE_DENSITY = 0.5;
/**
 * Share of link text. A box that its name calls navigation has more, or few words.
 * Effect: 0.2 +0.0000 (2 pages), 0.8 +0.0000 (22 pages) of 2415 pages.
 */
export const CHROME_DENSITY = 0.4;
/**
 * Words. A shorter box that its name calls navigation is navigation whatever its share of link text.
 * Effect: 15 +0.0000 (6 pages), 60 +0.0000 (4 pages) of 2415 pages.
 */
export const CHROME_WORDS = 30;
/**
 * Share of link text. A box that its name calls a header has more, or a small share of the page.
 * Effect: 0.25 +0.0000 (4 pages), 1 +0.0000 (39 pages) of 2415 pages.
 */
export const HEADER_DENSITY = 0.5;
/**
 * Share of the page. A smaller box that its name calls a header is a header whatever its share of link text.
 * Effect: 0.025 +0.0000 (2 pages), 0.1 +0.0000 (5 pages) of 2415 pages.
 */
export const HEADER_SHARE = 0.05;
/**
 * Words. A main element with fewer is ignored.
 * Effect: 10 +0.0000 (2 pages), 40 +0.0000 (2 pages) of 2415 pages.
 */
export const MAIN_MIN_WORDS = 20;
/**
 * Share of the page. A main element with less is ignored.
 * Effect: none on 2415 pages: kept as a bound.
 */
export const MAIN_MIN_SHARE = 0.2;
/**
 * Share of the page. An aside inside the main element holds less.
 * Effect: 0.15 +0.0000 (7 pages), 0.6 +0.0000 (1 page) of 2415 pages.
 */
export const ASIDE_SHARE = 0.3;
/**
 * Share of link text. An aside inside the main element has more.
 * Effect: 0.2 +0.0000 (45 pages), 0.8 -0.0000 (81 pages) of 2415 pages.
 */
export const ASIDE_DENSITY = 0.4;
/**
 * Share of the page. A landmark by its name holds at most as much.
 * Effect: 0.15 +0.0000 (39 pages), 0.6 +0.0000 (14 pages) of 2415 pages.
 */
export const NAMED_SHARE = 0.3;
/**
 * Share of the page. The same for a plain name, which short pages have.
 * Effect: 0.35 -0.0003 (9 pages), 0.85 +0.0000 (2 pages) of 2415 pages.
 */
export const PLAINLY_NAMED_SHARE = 0.7;
/**
 * Share of the page. The frame does not hold more of the page's words: an unclosed header does.
 * Effect: none on 2415 pages: kept as a bound.
 */
export const MOST_OF_PAGE = 0.5;
/**
 * Words. A longer part is content, whatever its name.
 * Effect: 40 +0.0000 (41 pages), 160 +0.0000 (34 pages) of 2415 pages.
 */
export const FILTERED_WORDS = 80;
/**
 * Share of the page. A part with more is content, whatever its name.
 * Effect: 0.015 +0.0000 (8 pages), 0.06 +0.0000 (14 pages) of 2415 pages.
 */
export const FILTERED_SHARE = 0.03;

// Bounds
// landmarks.ts
/** Share of link text. A part of the main content with more link text may be navigation. */
export const SHOWN_DENSITY = 0.4;
