/** Bounds of sizes and of work of the stage "outputs": formulas. Ordinary pages stay below them. */

// Bounds
// mathml-to-tex.ts
/** Elements of a formula: hostile pages nest without end. */
export const BOX_CAP = 4_000;
/** Elements of one search for a part of a formula. */
export const SEARCH_CAP = 64;
/** Characters. A longer alternative text is no formula. */
export const TEX_CHARS = 2_000;
