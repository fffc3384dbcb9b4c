import type { SourcesPreview } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { TextArea } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';
import { CheckedSources } from './checked-sources.tsx';
import { Effect } from './effect.tsx';
import { changesOf, draftOf, PATTERN_FIELDS, type ScopeDraft, type ScopeField, SOURCE_FIELDS } from './scope-draft.ts';

const { sources: texts } = words;

interface Props {
  readonly project: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The scope of a project: patterns, feeds and list, with their effect before they are saved. */
export function ScopeForm({ project, config }: Props) {
  const saved = draftOf(config);
  const [draft, setDraft] = useState(saved);
  const [checked, setChecked] = useState<SourcesPreview>();
  const canWrite = useCan('write');
  const { send: save, isSending } = useWrite('PATCH /projects/{id}', [
    'GET /projects/{id}',
    'GET /projects/{id}/sources',
  ]);
  const { send: preview, isSending: isChecking } = useWrite('POST /projects/{id}/sources/preview');
  const changes = changesOf(saved, draft);
  const isChanged = Object.keys(changes).length > 0;
  const path = { id: project };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const undo = () => void act(() => save({ path, body: { config: changesOf(draft, saved) } }), texts.saved);
    void act(() => save({ path, body: { config: changes } }), texts.saved, undo);
  };
  return (
    <Panel title={texts.scope} className="mb-4">
      <form onSubmit={submit} noValidate>
        <p className="mb-4 text-muted">{texts.scopeHint}</p>
        <div className="mb-4 grid gap-4 sm:grid-cols-2">
          <Fields draft={draft} onChange={setDraft} isDisabled={!canWrite} />
        </div>
        {canWrite ? (
          <div className="mb-4 flex flex-wrap gap-2">
            <Button kind="primary" type="submit" disabled={isSending || !isChanged}>
              {texts.save}
            </Button>
            <Button disabled={!isChanged} onClick={() => setDraft(saved)}>
              {texts.reset}
            </Button>
            <Button
              disabled={isChecking}
              onClick={() => void act(async () => setChecked(await preview({ path, body: changes })))}
            >
              {texts.check}
            </Button>
          </div>
        ) : null}
      </form>
      {checked === undefined ? null : <CheckedSources preview={checked} />}
      <Effect project={project} changes={changes} />
    </Panel>
  );
}

interface FieldsProps {
  readonly draft: ScopeDraft;
  readonly onChange: (draft: ScopeDraft) => void;
  readonly isDisabled: boolean;
}

function Fields({ draft, onChange, isDisabled }: FieldsProps) {
  const field = (name: ScopeField) => (
    <TextArea
      key={name}
      label={texts.fields[name]}
      rows={2}
      dir="ltr"
      spellCheck={false}
      className="font-mono"
      disabled={isDisabled}
      value={draft[name]}
      onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
    />
  );
  return [...PATTERN_FIELDS, ...SOURCE_FIELDS].map(field);
}
