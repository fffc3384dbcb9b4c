import type { ReactNode } from 'react';
import { ScrollBox } from './scroll-box.tsx';

interface Props<Row> {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string;
  readonly cells: (row: Row) => readonly ReactNode[];
}

const FIGURE = /^[\d.,\s\u00a0\u202f]+%?$/;
/** A cell of a few words stays on a line; another is wrapped, and keeps the width of a word on a narrow window. */
const MAX_UNBROKEN = 18;
const wrapOf = (cell: ReactNode): string =>
  typeof cell === 'string' && cell.length <= MAX_UNBROKEN ? 'whitespace-nowrap' : 'anywhere max-md:min-w-28';

const isFigure = (cell: ReactNode): boolean => typeof cell === 'string' && FIGURE.test(cell);

const PADDING = 'px-2 py-2 first:ps-4 last:pe-4 md:px-4';

/** A table of few rows, as wide as its content needs. A column of figures after the first column is aligned at its end. */
export function PlainTable<Row>({ label, titles, rows, keyOf, cells }: Props<Row>) {
  const shown = rows.map((row, index) => ({ key: keyOf(row, index), cells: cells(row) }));
  const alignOf = (at: number): string =>
    at > 0 && shown.length > 0 && shown.every((row) => isFigure(row.cells[at]))
      ? 'text-end tabular-nums'
      : 'text-start';
  return (
    <ScrollBox label={label} className="max-h-[70vh] rounded-lg">
      <table className="w-full border-collapse text-start">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {titles.map((title, at) => (
              <th key={title} scope="col" className={`${PADDING} text-xs font-semibold text-muted ${alignOf(at)}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, cells: row }) => (
            <tr key={key} className="border-t border-line align-top">
              {row.map((cell, at) => (
                <td key={titles[at]} className={`${wrapOf(cell)} ${PADDING} ${alignOf(at)}`}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
