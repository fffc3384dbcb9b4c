import type { Connection, ProjectSummary } from '@tidemark/sdk';
import { type FormEvent, useCallback, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CheckField, Select, TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { words } from '../../words/words.ts';
import { COMPRESSIONS, DATASETS, type DestinationDraft, FORMATS, MODES, SCOPES } from './destination-draft.ts';
import { LivePreview } from './live-preview.tsx';
import { type EditProps, ShapeEditor } from './shape-editor.tsx';
import { useDestinationForm } from './use-destination-form.ts';

const { destinations: texts } = words;

interface Props {
  readonly start: DestinationDraft;
  /** Of databases and buckets. */
  readonly connections: readonly Connection[];
  readonly tableProviders: ReadonlySet<string>;
  readonly projects: readonly ProjectSummary[];
  readonly label: string;
  readonly save: (draft: DestinationDraft, isTable: boolean) => Promise<void>;
}

/** The settings of a destination, with a preview of its rows. */
export function DestinationForm({ start, connections, tableProviders, projects, label, save }: Props) {
  const [draft, setDraft] = useState(start);
  const { messages, isSending, send } = useDestinationForm();
  const [shapeMessages, setShapeMessages] = useState<Readonly<Record<string, string>>>({});
  const onMessages = useCallback((next: Readonly<Record<string, string>>) => setShapeMessages(next), []);
  const change = (next: Partial<DestinationDraft>) => setDraft((was) => ({ ...was, ...next }));
  const provider = connections.find(({ id }) => id === draft.connection)?.provider;
  const test = connections.find(({ id }) => id === draft.connection)?.lastTest ?? null;
  const isTable = provider !== undefined && tableProviders.has(provider);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(() => save(draft, isTable));
  };
  const edit = { draft, change, messages: { ...shapeMessages, ...messages } };
  return (
    <form onSubmit={submit} noValidate>
      <Panel title={texts.settings} className="mb-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={texts.name}
            error={messages['name']}
            dir="auto"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <Select
            label={texts.connection}
            error={messages['connection_id']}
            value={draft.connection}
            onValue={(connection) => change({ connection })}
            hint={test === null ? texts.untested : test.ok ? undefined : texts.failing(test.reason)}
            choices={connections.map(({ id, name }) => ({ value: id, text: name }))}
          />
          <Rows {...edit} />
          {isTable ? <TableFields {...edit} /> : <FileFields {...edit} />}
          <Scope {...edit} projects={projects} />
          <CheckField
            label={texts.automatic}
            checked={draft.automatic}
            onChange={(event) => change({ automatic: event.target.checked })}
          />
        </div>
      </Panel>
      <Panel title={texts.rows} className="mb-4">
        <ShapeEditor {...edit} />
      </Panel>
      <LivePreview draft={draft} project={draft.projects[0]} onMessages={onMessages} />
      <Button kind="primary" type="submit" disabled={isSending}>
        {label}
      </Button>
    </form>
  );
}

const Rows = ({ draft, change, messages }: EditProps) => (
  <>
    <Select
      label={texts.dataset}
      error={messages['dataset']}
      value={draft.dataset}
      onValue={(dataset) => change({ dataset, columns: [] })}
      choices={DATASETS.map((value) => ({ value, text: texts.datasets[value] }))}
    />
    <Select
      label={texts.mode}
      error={messages['mode']}
      value={draft.mode}
      onValue={(mode) => change({ mode })}
      choices={MODES.map((value) => ({ value, text: texts.modes[value] }))}
    />
  </>
);

const TableFields = ({ draft, change, messages }: EditProps) => (
  <>
    <TextField
      label={texts.table}
      hint={texts.tableHint}
      error={messages['table']}
      spellCheck={false}
      autoCapitalize="none"
      value={draft.table}
      onChange={(event) => change({ table: event.target.value })}
    />
    <CheckField
      label={texts.freeze}
      hint={texts.freezeHint}
      checked={draft.freeze}
      onChange={(event) => change({ freeze: event.target.checked })}
    />
  </>
);

const FileFields = ({ draft, change, messages }: EditProps) => (
  <>
    <TextField
      label={texts.path}
      hint={texts.pathHint}
      error={messages['path']}
      spellCheck={false}
      value={draft.path}
      onChange={(event) => change({ path: event.target.value })}
    />
    <Select
      label={texts.format}
      error={messages['format']}
      value={draft.format}
      onValue={(format) => change({ format })}
      choices={FORMATS.map((value) => ({ value, text: value }))}
    />
    <Select
      label={texts.compression}
      value={draft.compression}
      onValue={(compression) => change({ compression })}
      choices={COMPRESSIONS.map((value) => ({ value, text: value }))}
    />
  </>
);

function Scope({ draft, change, projects }: EditProps & { projects: readonly ProjectSummary[] }) {
  const { scope, projects: chosen } = draft;
  const toggle = (id: string) =>
    change({ projects: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
  return (
    <div className="min-w-0">
      <Select
        label={texts.projects}
        value={scope}
        onValue={(next) => change({ scope: next })}
        choices={SCOPES.map((value) => ({ value, text: texts.scopes[value] }))}
      />
      {scope === 'projects' ? (
        <div className="mt-2 grid max-h-40 gap-1.5 overflow-y-auto rounded-md border border-line p-3">
          {projects.map(({ id, name, seed }) => (
            <CheckField
              key={id}
              label={name ?? shortUrl(seed)}
              checked={chosen.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </div>
      ) : null}
    </div>
  );
}
