import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';

/** Excel's limits (Excel specifications and limits): rows of a sheet, characters of a cell. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_CELL = 32_767;

const DAY_MS = 86_400_000;
/** Days from Excel's epoch (1899-12-30) to 1970-01-01. */
const EPOCH_DAYS = 25_569;
/** Index of the cell format for times in `styles.xml`. */
const TIME_STYLE = 1;

export const SHEET_START =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>';
export const SHEET_END = '</sheetData></worksheet>';

type CellColumn = Pick<Column, 'name' | 'type'>;

/** Where a row is, for the list of cut cells. */
export interface RowPlace {
  readonly sheet: number;
  /** Counted from 1, as Excel does; the header is row 1. */
  readonly row: number;
}

/** A cell whose text exceeds MAX_CELL. */
export interface CutCell extends RowPlace {
  readonly column: string;
  readonly characters: number;
}

/** Cells that are listed; further ones are counted. */
const LISTED_CELLS = 10_000;

/** The cells of a workbook that were cut. */
export class CutCells {
  count = 0;
  readonly cells: CutCell[] = [];

  add(cell: CutCell): void {
    this.count += 1;
    if (this.cells.length < LISTED_CELLS) this.cells.push(cell);
  }
}

export function headerRow(columns: readonly CellColumn[]): string {
  return `<row>${columns.map(({ name }) => textCell(name)).join('')}</row>`;
}

/**
 * Returns the XML of a row. A text that is longer than MAX_CELL ends with a note that states its length, and is added to `cut`. Inline strings are
 * never run as formulas.
 */
export function rowXml(row: Row, columns: readonly CellColumn[], place: RowPlace, cut: CutCells): string {
  const cells = columns.map((column) =>
    cellXml(row[column.name], column, (characters) => cut.add({ ...place, column: column.name, characters })),
  );
  return `<row>${cells.join('')}</row>`;
}

function cellXml(value: unknown, { type }: CellColumn, onCut: (characters: number) => void): string {
  if (value === null || value === undefined) return '<c/>';
  if (typeof value === 'number') return Number.isFinite(value) ? `<c><v>${value}</v></c>` : '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  if (type === 'time' && typeof value === 'string') {
    const at = Date.parse(value);
    if (!Number.isNaN(at)) return `<c s="${TIME_STYLE}"><v>${at / DAY_MS + EPOCH_DAYS}</v></c>`;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MAX_CELL) return textCell(text);
  onCut(text.length);
  const note = `… [cut: a cell holds ${MAX_CELL} of these ${text.length} characters; jsonl, csv and parquet hold all]`;
  return textCell(text.slice(0, MAX_CELL - note.length).replace(/[\ud800-\udbff]$/, '') + note);
}

const CUT_COLUMNS: readonly CellColumn[] = ['sheet', 'row', 'column', 'characters'].map((name) => ({
  name,
  type: 'text',
}));

/** Returns the XML of the sheet that lists the cut cells of a workbook. */
export function cutCellsSheet({ count, cells }: CutCells, sheetName: (sheet: number) => string): string {
  const none = new CutCells();
  const place = { sheet: 0, row: 0 };
  const rows = cells.map((cell) => rowXml({ ...cell, sheet: sheetName(cell.sheet) }, CUT_COLUMNS, place, none));
  const more = count - cells.length;
  const rest = more === 0 ? '' : rowXml({ sheet: `and ${more} more` }, CUT_COLUMNS, place, none);
  return `${SHEET_START}${headerRow(CUT_COLUMNS)}${rows.join('')}${rest}${SHEET_END}`;
}

function textCell(text: string): string {
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeCell(text)}</t></is></c>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids these characters
const ESCAPED = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_x(?=[0-9A-Fa-f]{4}_)/g;

/** Escapes markup, and characters that XML 1.0 forbids as `_xHHHH_` (ECMA-376 part 1, 22.4.2.4 ST_Xstring). */
function escapeCell(text: string): string {
  return text.toWellFormed().replace(ESCAPED, (match) => {
    if (match === '&') return '&amp;';
    if (match === '<') return '&lt;';
    if (match === '>') return '&gt;';
    if (match === '_x') return '_x005F_x';
    return `_x${match.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}
