/**
 * Thresholds of the stage "filters". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds filters --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// find-banners.ts
/**
 * Words. A box with an article of more is no banner.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const ARTICLE_WORDS = 40;
/**
 * Words. A box with a headline and more is no banner.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const HEADLINE_WORDS = 120;
/**
 * Words. A longer element is no consent banner.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const CONSENT_WORDS_CAP = 250;
/**
 * Words. A longer element is no consent dialog.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const DIALOG_WORDS_CAP = 900;
/**
 * Words. A longer element is no overlay.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const OVERLAY_WORDS_CAP = 160;

// Bounds
// removed-parts.ts
/** Parts. Removed parts that a capture lists. */
export const REMOVED_CAP = 200;
/** Parts. Removed parts that the preview of a page lists. */
export const DETAILED_REMOVED_CAP = 2_000;
/** Characters. Text of a removed part that is shown. */
export const EXCERPT_CHARS = 200;
/** Characters. Start of a class attribute that is read. */
export const NAME_CHARS = 300;
