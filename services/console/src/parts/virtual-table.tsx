import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { words } from '../words/frame.ts';
import { ScrollBox } from './scroll-box.tsx';

const ROW_PX = 48;
const AHEAD_ROWS = 8;

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  /** Width in px; one column without a width takes the rest. */
  readonly width?: number;
  readonly align?: 'end';
  /** Left out on windows narrower than `md`. */
  readonly wideOnly?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** The name of the order, if the table can be sorted by the column. */
  readonly sort?: string;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Number of all rows, if more exist than are loaded. */
  readonly total?: number | undefined;
  /** Loads further rows; called when the end comes close. */
  readonly onEnd?: (() => void) | undefined;
  readonly order?: string | undefined;
  readonly onOrder?: (order: string | undefined) => void;
  /** Classes of the scrolled box, such as its height. */
  readonly className?: string;
}

/** A table of any number of rows: only those in view are in the document, between two rows that keep the height. */
export function VirtualTable<Row>(props: Props<Row>) {
  const { label, columns, rows, keyOf, total, onEnd, className = 'max-h-[max(20rem,calc(100dvh-14rem))]' } = props;
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: AHEAD_ROWS,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  const isNearEnd = (last?.index ?? 0) >= rows.length - 1 - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);
  const end = last === undefined ? 0 : virtual.getTotalSize() - last.end;
  return (
    <ScrollBox ref={box} label={label} className={`rounded-b-lg first:rounded-t-lg ${className}`}>
      <table aria-rowcount={(total ?? rows.length) + 1} className="w-full table-fixed border-collapse text-start">
        <Head {...props} />
        <tbody>
          <Filler height={first?.start ?? 0} />
          {shown.map(({ index }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <tr
                key={keyOf(row)}
                aria-rowindex={index + 2}
                className="border-t border-line hover:bg-hover"
                style={{ height: ROW_PX }}
              >
                {columns.map((column) => (
                  <td
                    key={column.key}
                    className={`overflow-hidden px-2 py-1 first:ps-4 md:px-3 md:last:pe-4 ${cellClass(column)}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          <Filler height={end} />
        </tbody>
      </table>
    </ScrollBox>
  );
}

const cellClass = <Row,>({ align, wideOnly }: Column<Row>): string =>
  `${align === 'end' ? 'text-end tabular-nums' : 'text-start'} ${wideOnly ? 'hidden md:table-cell' : ''}`;

/** One cell only: a cell across all columns would give hidden ones a share of a narrow table. */
const Filler = ({ height }: { height: number }) =>
  height <= 0 ? null : (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  );

function Head<Row>({ columns, order, onOrder }: Props<Row>) {
  return (
    <thead className="sticky top-0 z-10 bg-surface">
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const { sort, key, title, width } = column;
          return (
            <th
              key={key}
              scope="col"
              aria-sort={sort === undefined ? undefined : directionOf(sort, order)}
              style={width === undefined ? undefined : { width }}
              className={`px-2 py-2 first:ps-4 md:px-3 md:last:pe-4 text-xs font-semibold text-muted ${cellClass(column)}`}
            >
              {sort === undefined || onOrder === undefined ? (
                title
              ) : (
                <SortButton title={title} sort={sort} order={order} onOrder={onOrder} />
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

type Direction = 'none' | 'ascending' | 'descending';

function directionOf(sort: string, order: string | undefined): Direction {
  if (order === sort) return 'ascending';
  return order === `-${sort}` ? 'descending' : 'none';
}

/** The order after a click on the head of a sorted column, by its direction. */
const NEXT_ORDER: Readonly<Record<Direction, (sort: string) => string | undefined>> = {
  none: (sort) => sort,
  ascending: (sort) => `-${sort}`,
  descending: () => undefined,
};

const ARROWS: Readonly<Record<Direction, ReactNode>> = {
  none: null,
  ascending: <ArrowUp aria-hidden size={12} />,
  descending: <ArrowDown aria-hidden size={12} />,
};

interface SortButtonProps {
  readonly title: ReactNode;
  readonly sort: string;
  readonly order: string | undefined;
  readonly onOrder: (order: string | undefined) => void;
}

function SortButton({ title, sort, order, onOrder }: SortButtonProps) {
  const direction = directionOf(sort, order);
  return (
    <button
      type="button"
      title={typeof title === 'string' ? words.table.sortBy(title) : undefined}
      onClick={() => onOrder(NEXT_ORDER[direction](sort))}
      className="inline-flex items-center gap-1 hover:text-ink"
    >
      {title}
      {ARROWS[direction]}
    </button>
  );
}
