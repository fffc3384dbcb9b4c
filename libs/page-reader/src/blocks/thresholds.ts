/**
 * Thresholds of the stage "blocks". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds blocks --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// block-anchors.ts
/**
 * Characters. Longer names of classes are generated.
 * Effect: 30 197 pages, 120 15 pages of 371 pages.
 */
export const NAME_CHARS = 60;
/**
 * Characters. A part of a name with as many, mixed of letters and digits, is generated.
 * Effect: 3 16 pages, 10 55 pages of 371 pages.
 */
export const GENERATED_PART_CHARS = 5;

// block-list.ts
/**
 * Characters. Longer texts are split at the end of a sentence.
 * Effect: none on 371 pages: kept as a bound.
 */
export const BLOCK_CHARS_CAP = 8_000;

// block-mask.ts
/**
 * Characters. Longer texts are prose, which is not masked.
 * Effect: 1000 8 pages, 4000 1 page of 371 pages.
 */
export const MASKED_CHARS = 2_000;
/**
 * Characters. Longer texts are not searched for ages without digits.
 * Effect: 30 none, 120 2 pages of 371 pages.
 */
export const WORDY_CHARS = 60;

// comparison-url.ts
/**
 * Characters. A part of a file name with as many, mixed of letters and digits, is generated.
 * Effect: 4 54 pages, 16 54 pages of 371 pages.
 */
export const GENERATED_NAME_CHARS = 8;
/**
 * Redirects. Redirects in the parameters of a URL that are followed.
 * Effect: none on 371 pages: kept as a bound.
 */
export const MAX_WRAPPING = 2;

// visitor-parameters.ts
/**
 * Characters. A value with as many is generated for each visitor.
 * Effect: 12 1 page, 48 none of 371 pages.
 */
export const LONG_VALUE_CHARS = 24;
/**
 * Characters. A value with as many and mixed case is generated for each visitor.
 * Effect: 6 5 pages, 24 none of 371 pages.
 */
export const MIXED_VALUE_CHARS = 12;
/**
 * Characters. A shorter value of a parameter is not generated, except a version of a file.
 * Effect: 4 none, 16 2 pages of 371 pages.
 */
export const MIN_GENERATED_CHARS = 8;

// Bounds
// block-anchors.ts
/** Elements. Steps of a path. The outermost elements are dropped first. */
export const STEPS_CAP = 14;
/** Characters. Length of a path. The outermost elements are dropped first. */
export const BLOCK_ANCHORS_CHARS_CAP = 300;
/** Paths of a page that are kept. */
export const PATHS_CAP = 5_000;
/** Classes of an element in its path. */
export const CLASSES_CAP = 2;
/** Characters of a class attribute that are read. */
export const CLASS_CHARS_CAP = 400;

// block-list.ts
/** Blocks of a page. Content beyond them is not compared. */
export const BLOCKS_CAP = 50_000;
/** Characters. Text of all blocks of a page. Content beyond it is not compared. */
export const BLOCK_LIST_TEXT_CHARS_CAP = 4_000_000;
/** Characters. A word, or a text without white space, is split above this length only. */
export const WORD_CHARS_CAP = 32_000;
/** Links of all blocks of a page. */
export const BLOCK_LIST_LINKS_CAP = 20_000;
/** Sections of a page that blocks refer to. */
export const SECTIONS_CAP = 5_000;
/** Characters. Title of a section. */
export const SECTION_CHARS_CAP = 200;

// comparison-url.ts
/** Characters. Longer URLs are compared as they are. */
export const COMPARISON_URL_CHARS_CAP = 2_048;

// cut-page.ts
/** Selectors of volatile parts that are applied. */
export const VOLATILE_CAP = 100;

// head-fields.ts
/** Fields of the head that are compared. */
export const FIELDS_CAP = 500;
/** Characters. Value of a field of the head. */
export const HEAD_FIELDS_CHARS_CAP = 2_000;
/** Headings that are compared as fields. */
export const HEADINGS_CAP = 20;

// replaced-elements.ts
/** Characters. Alternative text of an image, frame or media element. */
export const REPLACED_ELEMENTS_TEXT_CHARS_CAP = 1_000;

// text-links.ts
/** Links of a block. */
export const TEXT_LINKS_LINKS_CAP = 200;
/** Characters. Text of a link of a block. */
export const TEXT_CAP = 120;
