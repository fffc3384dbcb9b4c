import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Project } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, Select, TextField } from '../../parts/field.tsx';
import { Allowed, sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { type FieldDraft, valueWith } from './config-with.ts';
import { FIELD_TYPES, USES } from './picker-view.ts';

const { picker: texts } = words;
const FROM = '/projects/$project/picker';
const report = (error: unknown) => {
  if (error instanceof Error) notify(words.states.failed(sentenceOf(error)), { isBad: true });
};

/** Writes one setting, with a way back. */
async function write(id: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  await client.call('PATCH /projects/{id}', { path: { id }, body: { config } });
  await refresh('GET /projects/{id}', 'GET /projects/{id}/config/versions');
}

/** Saves the selector as a field, or in a list of selectors. */
export function SaveForm({ project, selector }: { project: Project; selector: string }) {
  const { project: id } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [field, setField] = useState<FieldDraft>({ name: '', attribute: '', type: 'string', many: false });
  const [isChecked, setChecked] = useState(false);
  const use = view.use ?? 'fields';
  const isField = use === 'fields';
  const save = async () => {
    const value = valueWith(project.config, use, { selector, field });
    if (value === undefined) return notify(texts.exists);
    const before = project.config[use] ?? null;
    await write(id, { [use]: value });
    setChecked(false);
    setField((was) => ({ ...was, name: '' }));
    const undo = () => void write(id, { [use]: before }).catch(report);
    notify(texts.saved(isField ? field.name.trim() : selector), { undo });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isField && field.name.trim() === '') return;
    save().catch(report);
  };
  return (
    <Allowed scope="write">
      <form onSubmit={submit} noValidate className="grid gap-3">
        <Select
          label={texts.use}
          value={use}
          onValue={(next) => void navigate({ search: { ...view, use: next }, replace: true })}
          choices={USES.map((value) => ({ value, text: texts.uses[value] }))}
        />
        {isField ? (
          <FieldOptions
            field={field}
            error={isChecked && field.name.trim() === '' ? texts.badName : undefined}
            change={(next) => setField((was) => ({ ...was, ...next }))}
          />
        ) : null}
        <div>
          <Button kind="primary" type="submit" disabled={selector.trim() === ''}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Allowed>
  );
}

interface OptionsProps {
  readonly field: FieldDraft;
  readonly error: string | undefined;
  readonly change: (next: Partial<FieldDraft>) => void;
}

function FieldOptions({ field, error, change }: OptionsProps) {
  return (
    <>
      <TextField
        label={texts.fieldName}
        error={error}
        dir="auto"
        value={field.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Select
          label={texts.type}
          value={field.type}
          onValue={(type) => change({ type })}
          choices={FIELD_TYPES.map((value) => ({ value, text: words.settings.fieldTypes[value] }))}
        />
        <TextField
          label={texts.attribute}
          hint={texts.attributeHint}
          spellCheck={false}
          autoCapitalize="none"
          value={field.attribute}
          onChange={(event) => change({ attribute: event.target.value })}
        />
      </div>
      <CheckField
        label={texts.many}
        checked={field.many}
        onChange={(event) => change({ many: event.target.checked })}
      />
    </>
  );
}
