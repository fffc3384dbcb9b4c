import { useNavigate, useSearch } from '@tanstack/react-router';
import type { CreatedProjects } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { refresh } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, Select, TextArea, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, sentenceOf } from '../../parts/states.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type CreatedSites, createProjects, MAX_URLS, type NewSites } from './create-projects.ts';
import { StartForm } from './start-form.tsx';
import { urlsIn } from './urls.ts';

const { create } = words.projects;
const SCHEDULES = ['manual', 'hourly', 'daily', 'weekly', 'monthly'] as const;
type Schedule = (typeof SCHEDULES)[number];

/** Watches one site in steps, or creates projects from many URLs. */
export function NewProjectPage() {
  const { urls = '', many } = useSearch({ from: '/projects/new' });
  return (
    <div className="mx-auto max-w-2xl md:pt-6">
      <PageHead title={create.title} />
      <Panel>
        <Allowed scope="write">
          {many === true || urlsIn(urls).length > 1 ? <NewProjectForm /> : <StartForm url={urls} />}
        </Allowed>
      </Panel>
    </div>
  );
}

/** Returns the handler that creates the projects, with its state. */
function useCreate() {
  const navigate = useNavigate();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const [refused, setRefused] = useState<CreatedProjects['refused']>([]);
  const showCreated = async ({ made, run }: CreatedSites) => {
    const [first] = made;
    if (first === undefined) return;
    const params = { project: first.id };
    if (made.length > 1) await navigate({ to: '/projects' });
    else if (run === undefined) await navigate({ to: '/projects/$project', params });
    else await navigate({ to: '/projects/$project/runs/$run', params: { ...params, run } });
  };
  const submit = async (sites: NewSites) => {
    const { length } = sites.urls;
    if (length === 0) return setError(create.empty);
    if (length > MAX_URLS) return setError(create.tooMany(number(MAX_URLS)));
    setSending(true);
    setError(undefined);
    try {
      const created = await createProjects(sites);
      void refresh('GET /projects');
      setRefused(created.refused);
      if (created.refused.length === 0) await showCreated(created);
    } catch (failure) {
      if (failure instanceof Error) setError(sentenceOf(failure));
    } finally {
      setSending(false);
    }
  };
  return { submit, isSending, error, refused };
}

interface Settings {
  readonly name: string;
  readonly schedule: Schedule;
  readonly limit: string;
}

interface SettingsProps {
  readonly value: Settings;
  readonly onChange: (value: Settings) => void;
  /** Name and limit belong to one site. */
  readonly isMany: boolean;
}

function SettingFields({ value, onChange, isMany }: SettingsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={create.name}
        hint={create.nameHint}
        disabled={isMany}
        dir="auto"
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.target.value })}
      />
      <Select
        label={create.schedule}
        value={value.schedule}
        onValue={(schedule) => onChange({ ...value, schedule })}
        choices={SCHEDULES.map((one) => ({ value: one, text: create.schedules[one] }))}
      />
      <TextField
        label={create.limit}
        type="number"
        min={1}
        disabled={isMany}
        value={value.limit}
        placeholder="1000"
        onChange={(event) => onChange({ ...value, limit: event.target.value })}
      />
    </div>
  );
}

function NewProjectForm() {
  const { urls: given = '' } = useSearch({ from: '/projects/new' });
  const [text, setText] = useState(given);
  const [settings, setSettings] = useState<Settings>({ name: '', schedule: 'daily', limit: '' });
  const [runNow, setRunNow] = useState(true);
  const { submit, isSending, error, refused } = useCreate();
  const urls = urlsIn(text);
  const isMany = urls.length > 1;
  const send = (event: FormEvent) => {
    event.preventDefault();
    const { name, schedule, limit } = settings;
    void submit({ urls, name, schedule, maxPages: limit === '' ? undefined : Number(limit), runNow });
  };
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      <TextArea
        label={create.urls}
        hint={create.intro}
        error={error}
        rows={4}
        autoCapitalize="none"
        spellCheck={false}
        placeholder={create.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <SettingFields value={settings} onChange={setSettings} isMany={isMany} />
      <CheckField label={create.runNow} checked={runNow} onChange={(event) => setRunNow(event.target.checked)} />
      {refused.length === 0 ? null : <Refused items={refused} />}
      <div>
        <Button kind="primary" type="submit" disabled={isSending}>
          {isMany ? create.submitMany(number(urls.length)) : create.submit}
        </Button>
      </div>
    </form>
  );
}

function Refused({ items }: { items: CreatedProjects['refused'] }) {
  return (
    <div role="alert" className="rounded-md border border-bad p-3">
      <p>{create.refused}</p>
      <ul className="mt-1 list-disc ps-5">
        {items.map(({ seed, reason }) => (
          <li key={seed} className="anywhere">
            {seed}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
