import type { CreatedApiKey, NewApiKey } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { words } from '../words/words.ts';
import { act } from './act.ts';
import { Button } from './button.tsx';
import { CheckField, Select, TextField } from './field.tsx';
import { type KeyDraft, keyRequest } from './key-request.ts';
import { shortUrl } from './site-name.tsx';

const { keys: texts } = words.team;
const EMPTY: KeyDraft = { name: '', scope: 'read', expiresInDays: undefined, projects: [], rpm: undefined };
const SCOPES = (['read', 'write', 'admin'] as const).map((value) => ({ value, text: texts.scopes[value] }));
const EXPIRY = (['never', '7', '30', '90', '365'] as const).map((value) => ({ value, text: texts.expiry[value] }));

interface Props {
  readonly create: (body: NewApiKey) => Promise<CreatedApiKey>;
  readonly onCreated: (key: CreatedApiKey) => void;
  /** Whether the key can be restricted to projects of the workspace. */
  readonly hasProjects?: boolean;
}

/** The form that creates an API key. */
export function KeyForm({ create, onCreated, hasProjects = false }: Props) {
  const [draft, setDraft] = useState(EMPTY);
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    const isCreated = await act(async () => onCreated(await create(keyRequest(draft))));
    setSending(false);
    if (isCreated) setDraft(EMPTY);
  };
  const { name, scope, expiresInDays, projects } = draft;
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="grid items-end gap-4 sm:grid-cols-2 lg:grid-cols-4"
      noValidate
    >
      <TextField
        label={texts.name}
        placeholder={texts.namePlaceholder}
        maxLength={100}
        dir="auto"
        value={name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <Select
        label={texts.scope}
        value={scope}
        choices={SCOPES}
        onValue={(value) => setDraft({ ...draft, scope: value })}
      />
      <Select
        label={texts.expires}
        value={EXPIRY.find(({ value }) => value === String(expiresInDays))?.value ?? 'never'}
        choices={EXPIRY}
        onValue={(value) => setDraft({ ...draft, expiresInDays: value === 'never' ? undefined : Number(value) })}
      />
      <div>
        <Button kind="primary" type="submit" disabled={isSending || name.trim() === ''}>
          {texts.submit}
        </Button>
      </div>
      {hasProjects ? (
        <div className="sm:col-span-2 lg:col-span-4">
          <ProjectChoice chosen={projects} onChoose={(next) => setDraft({ ...draft, projects: next })} />
        </div>
      ) : null}
    </form>
  );
}

function ProjectChoice({
  chosen,
  onChoose,
}: {
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}) {
  const { data } = useRead('GET /projects', { query: { limit: 0 } });
  const all = data?.data ?? [];
  return (
    <details>
      <summary className="w-fit text-muted">
        {chosen.length === 0 ? texts.projects : texts.projectsChosen(String(chosen.length))}
      </summary>
      <div className="mt-2 grid max-h-48 gap-1 overflow-y-auto sm:grid-cols-2">
        {all.length === 0 ? <p className="text-muted">{texts.noProjects}</p> : null}
        {all.map(({ id, name, seed }) => (
          <CheckField
            key={id}
            label={name ?? shortUrl(seed)}
            checked={chosen.includes(id)}
            onChange={(event) => onChoose(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
      </div>
    </details>
  );
}
