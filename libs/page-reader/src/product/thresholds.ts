/**
 * Thresholds of the stage "product". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds product --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// amounts.ts
/**
 * Characters. The value of a price has at most as many.
 * Effect: 30 none, 120 +0.0000 price (2 pages) of 68 pages.
 */
export const PRICE_CHARS = 60;
/** Amount. Amounts from this one on are no prices. With at most 4 decimals, numbers below it are exact. */
export const AMOUNT_CAP = 1e11;

// choose-node.ts
/**
 * Characters. Names with more are compared in parts.
 * Effect: none on 68 pages: kept as a bound.
 */
export const COMPARED_NAME_CHARS = 5;

// identifiers.ts
/**
 * Characters. A declared number has at most as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const IDENTIFIER_CHARS = 40;
/**
 * Words. A declared number has at most as many.
 * Effect: 3 -0.0147 sku (1 page), 12 none of 68 pages.
 */
export const SKU_WORDS = 6;
/**
 * Characters. A longer number is none.
 * Effect: none on 68 pages: kept as a bound.
 */
export const SKU_CHARS = 64;
/**
 * Characters. A longer brand is none.
 * Effect: none on 68 pages: kept as a bound.
 */
export const BRAND_CHARS = 100;

// labelled-identifiers.ts
/**
 * Characters. The label of a number has at most as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LABELLED_IDENTIFIERS_LABEL_CHARS = 40;
/**
 * Lines. Lines above the title in which numbers stand.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LABELLED_IDENTIFIERS_LINES_BEFORE = 20;
/**
 * Words. A brand has at most as many.
 * Effect: 3 -0.0147 brand (1 page), 10 none of 68 pages.
 */
export const BRAND_WORDS = 5;
/**
 * Words. Words before a separator that can be the label: `… (red) Код: 01245`.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LABEL_WORDS = 4;
/**
 * Characters. Letters and digits of the shortest number.
 * Effect: 2 none, 6 -0.0441 sku (3 pages) of 68 pages.
 */
export const NUMBER_CHARS = 3;

// page-lines.ts
/**
 * Words. Words of a box that is read as one line although it has several blocks: a price and its parts.
 * Effect: 5 none, 20 +0.0000 price (1 page) of 68 pages.
 */
export const PRICE_WORDS = 10;
/**
 * Words. The label of a control has at most as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const CONTROL_WORDS = 6;
/**
 * Share. A box with a larger share of the page's words contains the product, whatever its name.
 * Effect: none on 68 pages: kept as a bound.
 */
export const WHOLE_SHARE = 0.35;

// page-names.ts
/**
 * Characters. Shorter names have no meaning.
 * Effect: none on 68 pages: kept as a bound.
 */
export const NAME_LENGTH = 3;

// read-product.ts
/**
 * Points. The price of a page without any data has more.
 * Effect: 5 none, 18 -0.2353 stock (16 pages) of 68 pages.
 */
export const MIN_SCORE = 9;
/**
 * Points. A price that is compared with that of the data has as many.
 * Effect: 4 none, 16 -0.0588 price (7 pages) of 68 pages.
 */
export const MIN_COMPARED_SCORE = 8;
/**
 * Points. A price that is added to data without one has as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const MIN_ADDED_SCORE = 5;

// visible-price.ts
/**
 * Characters. A line with nothing but a price has at most as many.
 * Effect: 12 +0.0000 price (1 page), 48 none of 68 pages.
 */
export const BARE_PRICE_CHARS = 24;
/**
 * Characters. The line above a price that labels it has at most as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const PRICE_LABEL_CHARS = 40;
/**
 * Points. Points lost for each doubling of the distance from the title.
 * Effect: 0.6 none, 2.4 -0.0441 price (6 pages) of 68 pages.
 */
export const DISTANCE_POINTS = 1.2;
/**
 * Ratio of lines. A line above the title counts as this many below it.
 * Effect: none on 68 pages: kept as a bound.
 */
export const ABOVE_FACTOR = 1.5;
/**
 * Lines. Lines above the title whose prices count.
 * Effect: none on 68 pages: kept as a bound.
 */
export const VISIBLE_PRICE_LINES_BEFORE = 100;
/**
 * Lines. Lines below the title whose prices count.
 * Effect: none on 68 pages: kept as a bound.
 */
export const VISIBLE_PRICE_LINES_AFTER = 400;
/**
 * Points. Points of a candidate with which another counts as a statement of the same price.
 * Effect: 2 none, 6 +0.0000 price (1 page) of 68 pages.
 */
export const STATED_SCORE = 3;
/**
 * Points. A price that the page repeats gets them.
 * Effect: none on 68 pages: kept as a bound.
 */
export const REPEATED_POINTS = 1;
/**
 * Points. A price that the data of the page state too gets them.
 * Effect: 2 +0.0000 price (2 pages), 6 none of 68 pages.
 */
export const EXPECTED_POINTS = 3;
/**
 * Lines. A price and its former one are at most as far apart.
 * Effect: none on 68 pages: kept as a bound.
 */
export const FORMER_LINES = 4;
/**
 * Ratio of prices. A former price is at most this many times the price.
 * Effect: none on 68 pages: kept as a bound.
 */
export const FORMER_RATIO = 20;
/**
 * Points. Points lost by an amount for each one before it in a line.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LATER_POINTS = 0.1;
/**
 * Characters. Characters of a line beyond which an amount without a box of its own is rather part of a sentence.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LONG_CHARS = 80;
/**
 * Characters. Text after an amount that is read for its meaning.
 * Effect: none on 68 pages: kept as a bound.
 */
export const AFTER_CHARS = 40;
/**
 * Lines. A control to buy that is nearer makes a price likelier.
 * Effect: none on 68 pages: kept as a bound.
 */
export const NEAR_LINES = 12;

// visible-product.ts
/**
 * Characters. A heading with more is the title if the name contains it.
 * Effect: none on 68 pages: kept as a bound.
 */
export const HEADING_CHARS = 10;
/**
 * Characters. A longer line is not the title.
 * Effect: 150 -0.0147 price (1 page), 600 none of 68 pages.
 */
export const TITLE_CHARS = 300;
/**
 * Characters. The text of a control to buy has at most as many.
 * Effect: none on 68 pages: kept as a bound.
 */
export const CONTROL_CHARS = 60;
/**
 * Characters. Characters of a label that makes up a line. Scripts turn plain boxes into buttons.
 * Effect: 12 -0.0294 stock (5 pages), 48 none of 68 pages.
 */
export const VISIBLE_PRODUCT_LABEL_CHARS = 24;
/**
 * Lines. Lines above the title in which the control to buy and the availability stand.
 * Effect: 40 -0.0147 price (1 page), 160 none of 68 pages.
 */
export const VISIBLE_PRODUCT_LINES_BEFORE = 80;
/**
 * Lines. Lines below the title in which the control to buy and the availability stand.
 * Effect: 60 -0.0294 stock (2 pages), 240 none of 68 pages.
 */
export const VISIBLE_PRODUCT_LINES_AFTER = 120;
/**
 * Lines. Lines around the control to buy that can state the availability.
 * Effect: none on 68 pages: kept as a bound.
 */
export const CONTROL_LINES = 12;
/**
 * Controls. As many controls of one style are those of a list.
 * Effect: 2 -0.0588 price (4 pages), 8 none of 68 pages.
 */
export const LIST_CONTROLS = 4;
/**
 * Characters. Characters of the first sentence of a statement.
 * Effect: none on 68 pages: kept as a bound.
 */
export const STATEMENT_CHARS = 80;
/**
 * Boxes. As many boxes for the availability are those of a list.
 * Effect: none on 68 pages: kept as a bound.
 */
export const LIST_BOXES = 4;

// Bounds
// amounts.ts
/** Amounts of a line that are read. */
export const AMOUNTS_CAP = 40;

// choose-node.ts
/** Levels. Nested nodes that are searched for a product. */
export const CHOOSE_NODE_DEPTH_CAP = 4;
/** Nodes of a page that are searched for a product. */
export const NODES_CAP = 400;

// declared-product.ts
/** Levels. Nested offers that are read. */
export const DECLARED_PRODUCT_DEPTH_CAP = 3;

// labelled-identifiers.ts
/** Characters. A number with a label has at most as many. */
export const LABELLED_IDENTIFIERS_VALUE_CHARS = 80;
/** Characters. A longer line has no label. */
export const LABELLED_IDENTIFIERS_LINE_CHARS = 200;

// microdata.ts
/** Properties. Microdata properties of a page. */
export const PROPERTIES_CAP = 4_000;
/** Characters. Value of a microdata property. */
export const MICRODATA_VALUE_CHARS = 2_000;
/** References. Elements that an item refers to. */
export const REFERENCES_CAP = 50;

// nodes.ts
/** Values of a property that are read; variants and offers of large shops exceed it. */
export const NODES_VALUES_CAP = 200;

// open-graph.ts
/** Elements. Meta elements that are read. */
export const METAS_CAP = 500;

// page-lines.ts
/** Lines of a page that are examined. */
export const LINES_CAP = 4_000;
/** Characters. A longer line is prose. */
export const PAGE_LINES_LINE_CHARS = 300;
/** Ranges. Ends of ranges noted in one line. */
export const RANGES_CAP = 40;

// page-names.ts
/** Characters. Start of a class attribute that is read. */
export const NAME_CHARS = 400;
/** Names whose bits are kept, as those of hints are. */
export const NAMES_CAP = 20_000;

// rdfa.ts
/** Elements that are searched for RDFa. */
export const ELEMENTS_CAP = 20_000;

// script-identifiers.ts
/** Characters of scripts that are searched. */
export const CHARS_CAP = 1_000_000;
/** Values. Numbers of scripts that are kept. */
export const SCRIPT_IDENTIFIERS_VALUES_CAP = 200;

// visible-price.ts
/** Amounts that are compared. */
export const CANDIDATES_CAP = 400;
/** Characters. A line with at most as many beside the amount is that of a price. */
export const SHORT_CHARS = 20;
/** Levels. Boxes around a price whose names count. */
export const NAMED_LEVELS = 3;

// visible-product.ts
/** Levels. Boxes around a statement whose names count. */
export const STOCK_LEVELS = 3;
/** Digits. A separator of thousands has at most as many before it. */
export const THOUSANDS_DIGITS = 3;
/** Characters. A longer code of a currency is not read. */
export const CURRENCY_CHARS = 12;
/** Characters. A longer value of a node is not read. */
export const NODE_VALUE_CHARS = 2_000;
