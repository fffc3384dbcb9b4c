/** Bounds of sizes and of work of the stage "outputs": fields. Ordinary pages stay below them. */

// Bounds
// read-fields.ts
/** Fields of a request that are read. */
export const FIELD_CAP = 100;
/** Values of a field that are read. */
export const VALUES_CAP = 1_000;
/** Characters. Value of a field. */
export const VALUE_CHARS_CAP = 200_000;
/** Characters searched for numbers, dates and URLs. */
export const SHORT_CHARS = 2_000;
/** Characters of all fields of one page together. */
export const TOTAL_CHARS_CAP = 2_000_000;
/** Milliseconds for all fields of one page together. */
export const TIME_CAP_MS = 2_000;
