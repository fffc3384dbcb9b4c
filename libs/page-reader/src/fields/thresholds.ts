/**
 * Thresholds of the stage "outputs": fields. A threshold has its unit, its meaning and the change of the stage's score with other values, as
 * `npm run eval -- thresholds fields --write` measures it. Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// Bounds
// read-fields.ts
/** Fields. Fields of a request that are read. */
export const FIELD_CAP = 100;
/** Values. Values of a field that are read. */
export const VALUES_CAP = 1_000;
/** Characters. Value of a field. */
export const VALUE_CHARS_CAP = 200_000;
/** Characters. Characters searched for numbers, dates and URLs. */
export const SHORT_CHARS = 2_000;
/** Count. Characters of all fields of one page together. */
export const TOTAL_CHARS_CAP = 2_000_000;
/** Milliseconds. Milliseconds for all fields of one page together. */
export const TIME_CAP_MS = 2_000;
