/**
 * Thresholds of the stage "decode". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds page --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// decode-body.ts
/**
 * Ratio of bytes. UTF-16 of western text has at most one zero per as many bytes in the other half of its units.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const ZEROS_DIVISOR = 50;
/**
 * Share of bytes. UTF-16 has zeros at more of the places of one byte.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const ZEROS_SHARE = 0.3;
/**
 * Ratio of characters. UTF-8 with damage has more than this many times as many whole characters as broken ones.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const BROKEN_RATIO = 10;
/**
 * Share of letters. A Japanese text has more kana.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const KANA_SHARE = 0.2;
/**
 * Share of letters. A Korean text has more syllables.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const HANGUL_SHARE = 0.9;
/**
 * Share of letters. A Chinese text has more common characters.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const COMMON_HAN_SHARE = 0.9;
/**
 * Share of letters. A Russian text has more of its eight commonest letters.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const CYRILLIC_SHARE = 0.4;
/**
 * Bytes. With fewer bytes beyond ASCII nothing is guessed.
 * Effect: none on 1302 pages: kept as a bound.
 */
export const HIGH_BYTES = 20;

// Bounds
// decode-body.ts
/** Bytes searched for a meta declaration: twice the standard's 1024, for long comments at the start. */
export const PRESCAN_BYTES = 2_048;
/** Bytes. A shorter body is not searched for UTF-16. */
export const UTF16_BYTES = 4;
