import type { ReactNode } from 'react';
import { ScrollBox } from './scroll-box.tsx';

interface Props<Row> {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string;
  readonly cells: (row: Row) => readonly ReactNode[];
}

/** A table of few rows, as wide as its content needs. */
export function PlainTable<Row>({ label, titles, rows, keyOf, cells }: Props<Row>) {
  return (
    <ScrollBox label={label} className="max-h-[70vh] rounded-lg">
      <table className="w-full border-collapse text-start">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {titles.map((title) => (
              <th
                key={title}
                scope="col"
                className="px-2 py-2 text-start first:ps-4 last:pe-4 md:px-4 text-xs font-semibold text-muted"
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} className="border-t border-line align-top">
              {cells(row).map((cell, at) => (
                <td key={titles[at]} className="anywhere px-2 py-2 first:ps-4 last:pe-4 md:px-4">
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
