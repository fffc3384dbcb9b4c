import { Link, useMatch, useParams } from '@tanstack/react-router';
import { MousePointerClick } from 'lucide-react';
import type { ReactNode } from 'react';
import { useList } from '../../api/lists.ts';
import { useRead } from '../../api/queries.ts';
import { words } from '../../words/words.ts';
import { buttonClass } from '../button.tsx';
import { CheckField, Select, TextArea, TextField } from '../field.tsx';
import { FormOrJson } from './json-toggle.tsx';
import { RowList, useRows } from './row-list.tsx';
import {
  ACTION_TYPES,
  type ActionRow,
  BLANK_ACTION,
  FIELD_TYPES,
  type FieldRow,
  readActions,
  readDigest,
  readExtract,
  readFields,
  readOverrides,
  readPairs,
  SCROLL_TARGETS,
  VALUE_TYPES,
  type ValueRow,
  writeActions,
  writeDigest,
  writeExtract,
  writeFields,
  writeOverrides,
  writePairs,
} from './rows.ts';

const { settings: texts } = words;
const MODEL = 'model';

export interface EditorProps {
  readonly label: string;
  readonly hint: ReactNode;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
}

const BLANK_FIELD: FieldRow = { name: '', selector: '', attribute: '', type: 'string', many: false };
const BLANK_VALUE: ValueRow = { name: '', type: 'string', description: '', required: false };
const CODE = { dir: 'ltr', spellCheck: false, autoCapitalize: 'none' } as const;

/** Named values that are read from each page. */
export function FieldsEditor(props: EditorProps) {
  const [rows, setRows] = useRows(props.text, props.onText, { read: readFields, write: writeFields });
  const form = rows && (
    <RowList
      rows={rows}
      blank={BLANK_FIELD}
      onRows={setRows}
      add={texts.addField}
      removeOf={({ name }) => texts.removeRow(name)}
    >
      {(row, change) => (
        <>
          <TextField
            label={texts.fieldName}
            dir="auto"
            value={row.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <TextField
            {...CODE}
            label={texts.selector}
            value={row.selector}
            onChange={(event) => change({ selector: event.target.value })}
            className="font-mono text-xs"
          />
          <TextField
            {...CODE}
            label={texts.attribute}
            placeholder={texts.attributeText}
            value={row.attribute}
            onChange={(event) => change({ attribute: event.target.value })}
          />
          <Select
            label={texts.fieldType}
            value={row.type}
            onValue={(type) => change({ type })}
            choices={FIELD_TYPES.map((value) => ({ value, text: texts.fieldTypes[value] }))}
          />
          <CheckField
            label={texts.allMatches}
            checked={row.many}
            onChange={(event) => change({ many: event.target.checked })}
          />
        </>
      )}
    </RowList>
  );
  return <FormOrJson {...props} form={form} />;
}

/** Names with values, such as headers. */
export function PairsEditor({ add, ...props }: EditorProps & { readonly add: string }) {
  const [rows, setRows] = useRows(props.text, props.onText, { read: readPairs, write: writePairs });
  const form = rows && (
    <RowList
      rows={rows}
      blank={{ name: '', value: '' }}
      onRows={setRows}
      add={add}
      removeOf={({ name }) => texts.removeRow(name)}
    >
      {(row, change) => (
        <>
          <TextField
            {...CODE}
            label={texts.pairName}
            value={row.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <TextField
            {...CODE}
            label={texts.pairValue}
            hint={row.value === '***' ? texts.secretKept : undefined}
            value={row.value}
            onChange={(event) => change({ value: event.target.value })}
          />
        </>
      )}
    </RowList>
  );
  return <FormOrJson {...props} form={form} />;
}

function ActionFields({ row, change }: { row: ActionRow; change: (next: Partial<ActionRow>) => void }) {
  const hasSelector = row.type === 'click' || row.type === 'type' || row.type === 'select';
  return (
    <>
      <Select
        label={texts.step}
        value={row.type}
        onValue={(type) => change({ type })}
        choices={ACTION_TYPES.map((value) => ({ value, text: texts.steps[value] }))}
      />
      {row.type === 'press' ? (
        <TextField
          {...CODE}
          label={texts.key}
          placeholder="Enter"
          value={row.key}
          onChange={(event) => change({ key: event.target.value })}
        />
      ) : null}
      {row.type === 'scroll' ? (
        <Select
          label={texts.scrollTo}
          value={row.to}
          onValue={(to) => change({ to })}
          choices={SCROLL_TARGETS.map((value) => ({ value, text: texts.scrolls[value] }))}
        />
      ) : null}
      {row.type === 'wait' ? (
        <TextField
          label={texts.waitMs}
          inputMode="numeric"
          value={row.ms}
          onChange={(event) => change({ ms: event.target.value.replace(/\D/g, '') })}
        />
      ) : null}
      <TextField
        {...CODE}
        label={hasSelector ? texts.selector : texts.selectorOptional}
        value={row.selector}
        onChange={(event) => change({ selector: event.target.value })}
        className="font-mono text-xs"
      />
      {row.type === 'select' ? (
        <TextField
          {...CODE}
          label={texts.optionValue}
          value={row.value}
          onChange={(event) => change({ value: event.target.value })}
        />
      ) : null}
      {row.type === 'type' ? (
        <TextField
          dir="auto"
          label={texts.typedText}
          hint={row.text === '***' ? texts.secretKept : undefined}
          value={row.text}
          onChange={(event) => change({ text: event.target.value })}
        />
      ) : null}
    </>
  );
}

/** Leads from the settings of a project to its recorder. */
function RecordLink() {
  const { project } = useParams({ strict: false });
  const isRecorder = useMatch({ from: '/projects/$project/recorder', shouldThrow: false }) !== undefined;
  if (project === undefined || isRecorder) return null;
  return (
    <Link to="/projects/$project/recorder" params={{ project }} className={`${buttonClass()} mt-1`}>
      <MousePointerClick aria-hidden size={16} />
      {texts.record}
    </Link>
  );
}

/** What a browser does before a page is read. */
export function ActionsEditor(props: EditorProps) {
  const [rows, setRows] = useRows(props.text, props.onText, { read: readActions, write: writeActions });
  const form = rows && (
    <RowList
      rows={rows}
      blank={BLANK_ACTION}
      onRows={setRows}
      add={texts.addStep}
      removeOf={(_, at) => texts.removeStep(String(at + 1))}
    >
      {(row, change) => <ActionFields row={row} change={change} />}
    </RowList>
  );
  return (
    <>
      <FormOrJson {...props} form={form} />
      {props.disabled ? null : <RecordLink />}
    </>
  );
}

/** Chooses a connection to a language model. */
function ModelChoice({ value, onValue }: { value: string; onValue: (id: string) => void }) {
  const connections = useList('GET /connections', { query: { limit: 100 } });
  const providers = useRead('GET /connections/providers', {});
  const ofModels = new Set((providers.data?.data ?? []).filter(({ kind }) => kind === MODEL).map(({ id }) => id));
  const models = (connections.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ provider }) => ofModels.has(provider))
    .map(({ id, name }) => ({ value: id, text: name }));
  const isKnown = value === '' || models.some((model) => model.value === value);
  return (
    <Select
      label={texts.model}
      hint={models.length === 0 && !connections.isPending ? texts.noModel : undefined}
      value={value}
      onValue={onValue}
      choices={[
        { value: '', text: texts.chooseModel },
        ...models,
        ...(isKnown ? [] : [{ value, text: texts.otherModel }]),
      ]}
      className="max-w-sm"
    />
  );
}

/** Values that a language model reads from each page. */
export function ExtractEditor(props: EditorProps) {
  const [draft, setDraft] = useRows(props.text, props.onText, { read: readExtract, write: writeExtract });
  const form = draft && (
    <div className="grid gap-3">
      <ModelChoice value={draft.connection} onValue={(connection) => setDraft({ ...draft, connection })} />
      <RowList
        rows={draft.values}
        blank={BLANK_VALUE}
        onRows={(values) => setDraft({ ...draft, values })}
        add={texts.addValue}
        removeOf={({ name }) => texts.removeRow(name)}
      >
        {(row, change) => (
          <>
            <TextField
              label={texts.fieldName}
              dir="auto"
              value={row.name}
              onChange={(event) => change({ name: event.target.value })}
            />
            <Select
              label={texts.fieldType}
              value={row.type}
              onValue={(type) => change({ type })}
              choices={VALUE_TYPES.map((value) => ({ value, text: texts.valueTypes[value] }))}
            />
            <TextField
              label={texts.valueMeaning}
              dir="auto"
              value={row.description}
              onChange={(event) => change({ description: event.target.value })}
            />
            <CheckField
              label={texts.valueRequired}
              checked={row.required}
              onChange={(event) => change({ required: event.target.checked })}
            />
          </>
        )}
      </RowList>
      <TextArea
        label={texts.prompt}
        hint={texts.promptHint}
        dir="auto"
        rows={2}
        value={draft.prompt}
        onChange={(event) => setDraft({ ...draft, prompt: event.target.value })}
      />
      <TextField
        label={texts.maxTokens}
        hint={texts.maxTokensHint}
        inputMode="numeric"
        value={draft.maxTokens}
        onChange={(event) => setDraft({ ...draft, maxTokens: event.target.value.replace(/\D/g, '') })}
        className="max-w-48"
      />
    </div>
  );
  return <FormOrJson {...props} form={form} />;
}

/** A summary of each run's changes by a language model. */
export function DigestEditor(props: EditorProps) {
  const [draft, setDraft] = useRows(props.text, props.onText, { read: readDigest, write: writeDigest });
  const form = draft && (
    <div className="grid gap-3">
      <ModelChoice value={draft.connection} onValue={(connection) => setDraft({ ...draft, connection })} />
      <TextArea
        label={texts.focus}
        hint={texts.focusHint}
        dir="auto"
        rows={2}
        disabled={draft.connection === ''}
        value={draft.focus}
        onChange={(event) => setDraft({ ...draft, focus: event.target.value })}
      />
    </div>
  );
  return <FormOrJson {...props} form={form} />;
}

/** Decisions about ignored changes; they are made on the page of changes and can be removed here. */
export function OverridesEditor(props: EditorProps) {
  const [rows, setRows] = useRows(props.text, props.onText, { read: readOverrides, write: writeOverrides });
  const form =
    rows === undefined ? undefined : rows.length === 0 ? (
      <p className="text-muted">{texts.noDecisions}</p>
    ) : (
      <ul className="grid gap-2">
        {rows.map((row) => (
          <li key={row.place} className="flex items-start gap-3 rounded-md border border-line p-2">
            <div className="min-w-0 flex-1">
              <p>{row.ignore ? texts.alwaysIgnored : texts.alwaysReported}</p>
              <p dir="auto" className="anywhere text-xs text-muted">
                {row.text === '' ? row.url : row.text}
              </p>
            </div>
            <button
              type="button"
              className="text-xs text-muted underline hover:text-ink"
              onClick={() => setRows(rows.filter(({ place }) => place !== row.place))}
            >
              {texts.removeDecision}
            </button>
          </li>
        ))}
      </ul>
    );
  return <FormOrJson {...props} form={form} />;
}
