import { type Element, Flag, findFirst, isElement } from '../tree/page-tree.ts';
import { CELL_WORDS, COLUMN_CAP, LAYOUT_RATIO, SPAN_CAP } from './thresholds.ts';

/** A data table as rows of cells. A spanning cell is present in every position it covers. */
export interface TableGrid {
  caption: Element | undefined;
  rows: TableCell[][];
  /** True if the first row holds headings. */
  headed: boolean;
}

export interface TableCell {
  element: Element;
  /** False if the cell continues one to its left or above. */
  starts: boolean;
}

/** Returns the table's grid; undefined for a layout table. */
export function gridOf(table: Element, skip: number): TableGrid | undefined {
  const rows = rowsOf(table, skip);
  const cells = rows.map((row) =>
    row.children.filter(isElement).filter((cell) => isCell(cell) && (cell.flags & skip) === 0),
  );
  if (isLayout(table, cells)) return undefined;
  const grid = place(cells);
  // A table of empty cells is unwrapped, which writes nothing.
  if (grid.length === 0 || (table.words === 0 && !findFirst(table, (element) => element.tag === 'img')))
    return undefined;
  const caption = table.children.filter(isElement).find((child) => child.tag === 'caption');
  const first = cells[0] ?? [];
  return { caption, rows: grid, headed: rows[0]?.parent?.tag === 'thead' || first.some((cell) => cell.tag === 'th') };
}

const isCell = (element: Element): boolean => element.tag === 'td' || element.tag === 'th';

function rowsOf(table: Element, skip: number): Element[] {
  const rows: Element[] = [];
  for (const child of table.children) {
    if (typeof child === 'string' || (child.flags & skip) !== 0) continue;
    if (child.tag === 'tr') rows.push(child);
    else if (child.tag === 'thead' || child.tag === 'tbody' || child.tag === 'tfoot') rows.push(...rowsOf(child, skip));
  }
  return rows;
}

/** True for tables that position content: nested tables, single cells, or cells that hold whole articles. */
function isLayout(table: Element, cells: readonly (readonly Element[])[]): boolean {
  const role = table.attributes['role'];
  if (role === 'presentation' || role === 'none') return true;
  const widest = cells.reduce((most, row) => Math.max(most, row.length), 0);
  if (widest < 2 || cells.length === 0) return true;
  if (findFirst(table, (element) => element.tag === 'table')) return true;
  const heads = cells.some((row) => row.some((cell) => cell.tag === 'th'));
  if (heads) return false;
  const all = cells.flat();
  const large = all.filter(
    (cell) => cell.words > CELL_WORDS || ((cell.flags & Flag.hasBlock) !== 0 && hasSections(cell)),
  );
  return cells.length === 1
    ? all.some((cell) => (cell.flags & Flag.hasBlock) !== 0) || large.length > 0
    : large.length * LAYOUT_RATIO > all.length;
}

const SECTIONS = new Set(['h1', 'h2', 'h3', 'h4', 'pre', 'blockquote', 'article', 'section', 'form', 'figure']);
const hasSections = (cell: Element): boolean => findFirst(cell, (element) => SECTIONS.has(element.tag)) !== undefined;

/** Fills the free slots of a cell whose first one is at column `x` of row `y`. */
function placeCell(grid: readonly TableCell[][], element: Element, x: number, y: number): void {
  const width = span(element, 'colspan');
  const height = span(element, 'rowspan');
  for (let dy = 0; dy < height; dy++) {
    const row = grid[y + dy];
    if (!row) return;
    for (let dx = 0; dx < width && x + dx < COLUMN_CAP; dx++) row[x + dx] ??= { element, starts: dx === 0 && dy === 0 };
  }
}

/** https://html.spec.whatwg.org/multipage/tables.html#forming-a-table */
function place(rows: readonly (readonly Element[])[]): TableCell[][] {
  const grid: TableCell[][] = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const element of row) {
      while (grid[y]?.[x] !== undefined) x++;
      if (x >= COLUMN_CAP) break;
      placeCell(grid, element, x, y);
      x += span(element, 'colspan');
    }
  });
  return grid.filter((row) => row.length > 0);
}

function span(cell: Element, name: 'colspan' | 'rowspan'): number {
  const value = Number.parseInt(cell.attributes[name] ?? '1', 10);
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 1), SPAN_CAP);
}
