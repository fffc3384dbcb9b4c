import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../button.tsx';

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly blank: Row;
  readonly onRows: (rows: readonly Row[]) => void;
  readonly add: string;
  /** Name of the button that removes a row. */
  readonly removeOf: (row: Row, at: number) => string;
  readonly children: (row: Row, change: (next: Partial<Row>) => void, at: number) => ReactNode;
}

/** Rows that are added, edited and removed; on a narrow window the fields of a row are below each other. */
export function RowList<Row extends object>({ rows, blank, onRows, add, removeOf, children }: Props<Row>) {
  const change = (at: number, next: Partial<Row>) =>
    onRows(rows.map((row, index) => (index === at ? { ...row, ...next } : row)));
  return (
    <>
      {rows.length === 0 ? null : (
        <ul className="mb-2 grid gap-2">
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the list; its fields keep no state of their own
            <li key={at} className="flex items-start gap-2 rounded-md border border-line p-2">
              <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]">
                {children(row, (next) => change(at, next), at)}
              </div>
              <IconButton label={removeOf(row, at)} onClick={() => onRows(rows.filter((_, index) => index !== at))}>
                <Trash2 aria-hidden size={16} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <Button onClick={() => onRows([...rows, blank])}>
        <Plus aria-hidden size={16} />
        {add}
      </Button>
    </>
  );
}

/**
 * Keeps rows while they are edited: a row without a name is in no value yet. A text that was not written by the rows, such as a reset, replaces
 * them. `read` returns undefined for a text that has no rows.
 */
export function useRows<Rows>(
  text: string,
  onText: (text: string) => void,
  { read, write }: { readonly read: (text: string) => Rows | undefined; readonly write: (rows: Rows) => string },
): readonly [Rows | undefined, (rows: Rows) => void] {
  const [kept, setKept] = useState<{ readonly text: string; readonly rows: Rows | undefined }>(() => ({
    text,
    rows: read(text),
  }));
  const rows = kept.text === text ? kept.rows : read(text);
  const change = (next: Rows) => {
    const written = write(next);
    setKept({ text: written, rows: next });
    onText(written);
  };
  return [rows, change];
}
