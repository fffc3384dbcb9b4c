/**
 * Thresholds of the stage "frame". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds landmarks --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// landmarks.ts
/**
 * Share of link text. A callout with more is an aside.
 * Effect: not measured.
 */
export const CALLOUT_DENSITY = 0.5;
/**
 * Share of link text. A box of the title has at most as much.
 * Effect: not measured.
 */
export const TITLE_DENSITY = 0.5;
/**
 * Share of link text. A box that its name calls navigation has more, or few words.
 * Effect: not measured.
 */
export const CHROME_DENSITY = 0.4;
/**
 * Words. A shorter box that its name calls navigation is navigation whatever its share of link text.
 * Effect: not measured.
 */
export const CHROME_WORDS = 30;
/**
 * Share of link text. A box that its name calls a header has more, or a small share of the page.
 * Effect: not measured.
 */
export const HEADER_DENSITY = 0.5;
/**
 * Share of the page. A smaller box that its name calls a header is a header whatever its share of link text.
 * Effect: not measured.
 */
export const HEADER_SHARE = 0.05;
/**
 * Words. A main element with fewer is ignored.
 * Effect: not measured.
 */
export const MAIN_MIN_WORDS = 20;
/**
 * Share of the page. A main element with less is ignored.
 * Effect: not measured.
 */
export const MAIN_MIN_SHARE = 0.2;
/**
 * Share of the page. An aside inside the main element holds less.
 * Effect: not measured.
 */
export const ASIDE_SHARE = 0.3;
/**
 * Share of link text. An aside inside the main element has more.
 * Effect: not measured.
 */
export const ASIDE_DENSITY = 0.4;
/**
 * Share of the page. A landmark by its name holds at most as much.
 * Effect: not measured.
 */
export const NAMED_SHARE = 0.3;
/**
 * Share of the page. The same for a plain name, which short pages have.
 * Effect: not measured.
 */
export const PLAINLY_NAMED_SHARE = 0.7;
/**
 * Share of the page. The frame does not hold more of the page's words: an unclosed header does.
 * Effect: not measured.
 */
export const MOST_OF_PAGE = 0.5;
/**
 * Words. A longer part is content, whatever its name.
 * Effect: not measured.
 */
export const FILTERED_WORDS = 80;
/**
 * Share of the page. A part with more is content, whatever its name.
 * Effect: not measured.
 */
export const FILTERED_SHARE = 0.03;

// Bounds
// landmarks.ts
/** Share of link text. A part of the main content with more link text may be navigation. */
export const SHOWN_DENSITY = 0.4;
