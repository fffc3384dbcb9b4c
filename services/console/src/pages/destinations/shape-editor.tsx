import { Plus, Trash2 } from 'lucide-react';
import { useRead } from '../../api/queries.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { ColumnChoice } from '../../parts/column-choice.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { type DestinationDraft, KINDS, type ShapeColumn, TYPES } from './destination-draft.ts';

const { destinations: texts, exports: exportTexts } = words;

export interface EditProps {
  readonly draft: DestinationDraft;
  readonly change: (next: Partial<DestinationDraft>) => void;
  readonly messages: Readonly<Record<string, string>>;
}

/** Chooses which columns and rows are written: all, chosen ones, or expressions over them. */
export function ShapeEditor({ draft, change, messages }: EditProps) {
  const { kind, dataset, columns, where } = draft;
  const catalogue = useRead('GET /exports', {});
  const own = catalogue.data?.data.find(({ name }) => name === dataset)?.columns ?? [];
  return (
    <div className="grid gap-4">
      <Select
        label={texts.kind}
        value={kind}
        onValue={(next) => change({ kind: next })}
        choices={KINDS.map((value) => ({ value, text: texts.kinds[value] }))}
        className="max-w-xs"
      />
      {kind === 'chosen' ? (
        <ColumnChoice
          label={texts.rows}
          hint={exportTexts.columnsHint}
          columns={own}
          chosen={columns}
          onChoose={(next) => change({ columns: next })}
        />
      ) : null}
      {kind === 'computed' ? <Computed draft={draft} change={change} messages={messages} /> : null}
      <TextField
        label={texts.where}
        hint={texts.whereHint}
        error={messages['where']}
        spellCheck={false}
        dir="ltr"
        value={where}
        onChange={(event) => change({ where: event.target.value })}
        className="font-mono text-xs"
      />
      <Functions />
    </div>
  );
}

function Computed({ draft: { computed }, change, messages }: EditProps) {
  const edit = (key: number, next: Partial<ShapeColumn>) =>
    change({ computed: computed.map((column) => (column.key === key ? { ...column, ...next } : column)) });
  const add = () => {
    const key = Math.max(0, ...computed.map((column) => column.key)) + 1;
    change({ computed: [...computed, { key, name: '', expr: '', type: 'text' }] });
  };
  return (
    <div>
      <ol className="grid gap-2">
        {computed.map((column, index) => (
          <ColumnRow
            key={column.key}
            column={column}
            place={String(index + 1)}
            error={messages[`columns.${index}`]}
            edit={(next) => edit(column.key, next)}
            remove={() => change({ computed: computed.filter(({ key }) => key !== column.key) })}
          />
        ))}
      </ol>
      <Button onClick={add} className="mt-2">
        <Plus aria-hidden size={16} />
        {texts.addColumn}
      </Button>
    </div>
  );
}

interface RowProps {
  readonly column: ShapeColumn;
  readonly place: string;
  readonly error: string | undefined;
  readonly edit: (next: Partial<ShapeColumn>) => void;
  readonly remove: () => void;
}

function ColumnRow({ column: { name, expr, type }, place, error, edit, remove }: RowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_2rem] items-start gap-2 sm:grid-cols-[9rem_minmax(0,1fr)_6rem_2rem]">
      <TextField
        label={texts.columnName(place)}
        hideLabel
        placeholder={texts.name}
        spellCheck={false}
        autoCapitalize="none"
        value={name}
        onChange={(event) => edit({ name: event.target.value })}
      />
      <div className="order-1 col-span-2 sm:order-none sm:col-span-1">
        <TextField
          label={texts.columnExpr(place)}
          hideLabel
          error={error}
          dir="ltr"
          spellCheck={false}
          autoCapitalize="none"
          value={expr}
          onChange={(event) => edit({ expr: event.target.value })}
          className="font-mono text-xs"
        />
      </div>
      <div className="order-2 sm:order-none">
        <Select
          label={texts.columnType(place)}
          hideLabel
          value={type}
          onValue={(next) => edit({ type: next })}
          choices={TYPES.map((value) => ({ value, text: value }))}
        />
      </div>
      <IconButton label={texts.removeColumn(place)} onClick={remove}>
        <Trash2 aria-hidden size={16} />
      </IconButton>
    </li>
  );
}

function Functions() {
  const functions = useRead('GET /destinations/shape-functions', {});
  const { functionTitles: titles } = texts;
  return (
    <details>
      <summary className="text-muted hover:text-ink">{texts.functions}</summary>
      <div className="mt-2">
        <Loaded of={functions}>
          {(data) => (
            <>
              <p className="anywhere mb-2 text-xs text-muted">{texts.operators(data.operators.join(' '))}</p>
              <PlainTable
                label={texts.functions}
                titles={[titles.name, titles.result, titles.example]}
                rows={data.functions}
                keyOf={({ signature }, index) => `${index} ${signature}`}
                cells={({ signature, description, example }) => [
                  <code key="name">{signature}</code>,
                  description,
                  <code key="example">{example}</code>,
                ]}
              />
            </>
          )}
        </Loaded>
      </div>
    </details>
  );
}
