import type { ReactNode } from 'react';
import { words } from '../../words/words.ts';
import { TextField } from '../field.tsx';
import { RowList, useRows } from './row-list.tsx';

const { settings: texts } = words;

interface SelectorRow {
  readonly selector: string;
}
const LINES = {
  read: (text: string): readonly SelectorRow[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((selector) => ({ selector })),
  write: (rows: readonly SelectorRow[]): string =>
    rows
      .map(({ selector }) => selector.trim())
      .filter((line) => line !== '')
      .join('\n'),
};

interface Props {
  readonly label: string;
  readonly hint: ReactNode;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
}

/** CSS selectors, one per row. */
export function SelectorList({ label, hint, text, onText, error, disabled }: Props) {
  const [rows = [], setRows] = useRows(text, onText, LINES);
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <p className="mb-2 text-xs text-muted">{hint}</p>
      <RowList
        rows={rows}
        blank={{ selector: '' }}
        onRows={setRows}
        add={texts.addSelector}
        removeOf={({ selector }) => texts.removeRow(selector)}
      >
        {({ selector }, change) => (
          <TextField
            label={texts.selector}
            hideLabel
            dir="ltr"
            spellCheck={false}
            autoCapitalize="none"
            placeholder=".price"
            value={selector}
            onChange={(event) => change({ selector: event.target.value })}
            className="font-mono text-xs"
          />
        )}
      </RowList>
      {error === undefined ? null : <p className="anywhere mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  );
}
