/**
 * Thresholds of the stage "documents", with unit and meaning. No labelled corpus measures them: the tests of `response/` state the behaviour.
 * Bounds of sizes and of work follow; ordinary files stay below them.
 */

// pdf/pdf-line.ts
/**
 * Font sizes. Height of the middle of a line above its baseline.
 */
export const MIDDLE_HEIGHT = 0.3;
/**
 * Font sizes. Minimum gap between two segments, in font sizes. Smaller gaps are word spaces.
 */
export const COLUMN_GAP = 1.15;
/**
 * Font sizes. A larger gap between two runs is a space.
 */
export const WORD_GAP = 0.14;
/**
 * Font sizes. Maximum distance between baselines of one line, in font sizes: subscripts and superscripts are off the baseline.
 */
export const BASELINE = 0.45;

// pdf/pdf-table.ts
/**
 * Share of cells. A table has as many filled.
 */
export const FILLED_SHARE = 0.6;
/**
 * Font sizes. Distance of two rows of a table, at most.
 */
export const ROW_GAP = 3.5;
/**
 * Share of rows. As many rows of a table agree in their columns.
 */
export const AGREEING_SHARE = 0.8;
/**
 * Rows. Minimum number of rows of a table.
 */
export const ROWS_NEEDED = 3;
/**
 * Characters. A longer cell is prose.
 */
export const CELL_CHARS = 80;

// pdf/read-pdf.ts
/**
 * Ratio of font sizes. A heading is as much larger than the body.
 */
export const HEADING_RATIO = 1.13;
/**
 * Share of letters. A document with as much in a font of code has no code apart.
 */
export const CODE_SHARE = 0.6;

// pdf/reading-order.ts
/**
 * Share of height. Two columns overlap by more.
 */
export const COLUMN_OVERLAP = 0.5;
/**
 * Lines. Lines on each side of a gutter, at least. With fewer it is a table.
 */
export const LINES_NEEDED = 4;
/**
 * Words. Mean words of a line beside a gutter, at least. With fewer it is a table.
 */
export const WORDS_NEEDED = 3.5;
/**
 * Share of segments. Segments that cross a gutter, at most, such as titles and captions.
 */
export const ACROSS = 0.2;

// pdf/running-lines.ts
/**
 * Rows. Rows at each end of a page that may be running headers and footers.
 */
export const ROWS = 3;
/**
 * Segments. With more segments the edge of the page is content.
 */
export const EDGE_SEGMENTS = 60;
/**
 * Pages. A line is a running header or footer on as many pages.
 */
export const PAGES_NEEDED = 3;
/**
 * Share. Minimum share of pages. Left and right pages have different headers, and first pages of chapters have none.
 */
export const SHARE = 0.4;

// pdf/write-blocks.ts
/**
 * Share of font size. Lines of one paragraph differ in size by at most as much.
 */
export const SAME_SIZE = 0.12;
/**
 * Font sizes. Two lines of one paragraph are less apart.
 */
export const LINE_GAP = 1.75;
/**
 * Font sizes. Two lines of code are less apart.
 */
export const CODE_GAP = 3;
/**
 * Font sizes. The second line of an item is indented by more, or the first ends no sentence.
 */
export const ITEM_INDENT = 0.3;
/**
 * Font sizes. The first line of a paragraph is indented by more.
 */
export const PARAGRAPH_INDENT = 0.8;
/**
 * Font sizes. The last line of a paragraph ends as much before the margin.
 */
export const SHORT_END = 6;
/**
 * Share of lines. The right margin is where as many lines have ended.
 */
export const MARGIN_QUANTILE = 0.8;
/**
 * Characters. A longer line is no heading.
 */
export const HEADING_CHARS = 200;
/**
 * Font sizes. Width of a letter of code.
 */
export const LETTER_WIDTH = 0.6;

// zip.ts
/**
 * Bytes. Small parts may have a higher ratio.
 */
export const MIN_BOUND = 1_048_576;

// Bounds
// feed.ts
/** Entries of a feed that are read. */
export const ITEMS = 2_000;
/** Characters. Summary of an entry. */
export const SUMMARY_CHARS = 2_000;
/** Characters. Markup of a summary that is read. */
export const SUMMARY_HTML_CHARS = 50_000;

// model/media-type.ts
/** Bytes. Start of a body in which its type is detected. */
export const SNIFFED_BYTES = 1_024;
/** Bytes. End of an archive that is searched for its directory. */
export const DIRECTORY_BYTES = 1_048_576;

// pdf/pdf-table.ts
/** Rows. Longer tables are read as several. */
export const ROWS_TOGETHER = 500;
/** Cells. A row with more cells is no row of a table. */
export const CELLS_IN_A_ROW = 50;

// pdf/read-pdf.ts
/** Runs of text of a page that are read. */
export const RUNS_ON_A_PAGE = 50_000;
/** Links of a page that are read. */
export const LINKS_ON_A_PAGE = 2_000;

// pdf/reading-order.ts
/** Positions across the page that are tested for a gutter. */
export const PLACES = 48;
/** Levels. Columns inside columns that are searched. */
export const COLUMNS_DEPTH = 2;

// read-csv.ts
/** Lines in which the delimiter is detected. */
export const SNIFFED_LINES = 20;

// read-docx.ts
/** Characters of a document's markup that are read: a novel is about three million. */
export const READ_DOCX_MARKUP_CHARS = 12_000_000;

// read-image.ts
/** Characters. Value of a property of an image. */
export const VALUE_CHARS = 2_000;

// read-json.ts
/** Levels that are indented. */
export const INDENT_CAP = 32;

// read-xlsx.ts
/** Characters. Limit for one sheet, and for the shared strings, in characters of markup. */
export const READ_XLSX_MARKUP_CHARS = 24_000_000;

// read-xml.ts
/** Characters. Markup of a document that is read. */
export const READ_XML_MARKUP_CHARS = 20_000_000;

// simplify-docx-html.ts
/** Characters of html that are edited. linkedom takes about 0.3 s of CPU and 80 MB for a million; a book of 500 pages has fewer. Longer html stays as it is. */
export const EDITED_CHARS = 1_000_000;

// xml-tree.ts
/** Levels. Deeper elements are left out. */
export const DEPTH_CAP = 200;
/** Elements of a document that are read. */
export const ELEMENT_CAP = 300_000;
/** Levels. Maximum depth. The parser's time grows with the square of the depth. */
export const PARSE_DEPTH_CAP = 5_000;
