/** Bounds of what is read of links and images. Ordinary pages stay below them. */

// Bounds
// data-images.ts
/** Characters. All `data:` images of a page together. */
export const DATA_CHARS_CAP = 1_000_000;

// read-links.ts
/** Links. Those of a page. */
export const LINK_CAP = 10_000;
/** Characters. All URLs and texts of a page together: a page can make each of its links 8 KB long. */
export const CHARS_CAP = 2_000_000;
/** Characters. The text of a link. */
export const TEXT_CAP = 300;
/** Characters. A longer srcset is not read. */
export const SRCSET_CHARS = 20_000;
/** Characters. A longer URL is no link. */
export const URL_CHARS = 8_192;
