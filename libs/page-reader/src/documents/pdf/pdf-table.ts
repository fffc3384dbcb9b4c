import {
  AGREEING_SHARE,
  CELL_CHARS,
  CELLS_IN_A_ROW,
  FILLED_SHARE,
  ROW_GAP,
  ROWS_NEEDED,
  ROWS_TOGETHER,
} from '../model/thresholds.ts';
import type { Line, Segment } from './pdf-line.ts';

/** Returns the table that starts at a line, and the index of the line after it. */
export function tableAt(lines: readonly Line[], start: number): { rows: string[][]; end: number } | undefined {
  let end = start;
  while (end < lines.length && end - start < ROWS_TOGETHER && isRow(lines[end], lines[end - 1], end === start))
    end += 1;
  if (end - start < ROWS_NEEDED) return undefined;
  const columns = columnsOf(lines.slice(start, end));
  if (columns === undefined) return undefined;
  const rows = lines.slice(start, end).map((line) => cellsOf(line, columns));
  const filled = rows.flat().filter((cell) => cell !== '').length;
  return filled >= rows.length * columns.length * FILLED_SHARE ? { rows, end } : undefined;
}

function isRow(line: Line | undefined, before: Line | undefined, isFirst: boolean): boolean {
  if (line === undefined || line.segments.length < 2 || line.segments.length > CELLS_IN_A_ROW) return false;
  if (line.segments.some(({ text }) => text.length > CELL_CHARS)) return false;
  return isFirst || before === undefined || (line.y > before.y && line.y - before.y < ROW_GAP * line.size);
}

/**
 * Returns the extent of each column: that of the row with the most cells, widened by the other rows. Undefined if the
 * rows do not match.
 */
function columnsOf(lines: readonly Line[]): { x: number; right: number }[] | undefined {
  const widest = lines.reduce((a, b) => (b.segments.length > a.segments.length ? b : a));
  const columns = widest.segments.map(({ x, right }) => ({ x, right }));
  let agreeing = 0;
  for (const line of lines) {
    const places = line.segments.map((segment) => placeOf(segment, columns));
    if (new Set(places).size === places.length) agreeing += 1;
    for (const [i, segment] of line.segments.entries()) {
      const column = columns[places[i] ?? 0];
      if (column === undefined) continue;
      column.x = Math.min(column.x, segment.x);
      column.right = Math.max(column.right, segment.right);
    }
  }
  return agreeing >= lines.length * AGREEING_SHARE ? columns : undefined;
}

/** Returns the index of the column that overlaps the cell most, or the nearest. */
function placeOf({ x, right }: Segment, columns: readonly { x: number; right: number }[]): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [i, column] of columns.entries()) {
    const shared = Math.min(right, column.right) - Math.max(x, column.x);
    if (shared > most) {
      most = shared;
      best = i;
    }
  }
  return best;
}

function cellsOf(line: Line, columns: readonly { x: number; right: number }[]): string[] {
  const cells = columns.map(() => '');
  for (const segment of line.segments) {
    const place = placeOf(segment, columns);
    cells[place] = `${cells[place] ?? ''} ${segment.text}`.trim();
  }
  return cells;
}
