import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Allowed } from '../../parts/states.tsx';
import { words } from '../../words/frame.ts';

const { overview } = words;

/** The overview of a workspace without projects: one field for an address. */
export function FirstSite() {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/projects/new', search: { urls: url } });
  };
  return (
    <Panel className="mx-auto max-w-xl">
      <Allowed scope="write">
        <h2 className="text-lg font-semibold">{overview.firstTitle}</h2>
        <p className="mb-4 text-muted">{overview.firstHint}</p>
        <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <TextField
              label={overview.firstField}
              hideLabel
              required
              inputMode="url"
              autoCapitalize="none"
              placeholder={overview.firstPlaceholder}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          </div>
          <Button kind="primary" type="submit">
            {overview.firstSubmit}
          </Button>
        </form>
      </Allowed>
    </Panel>
  );
}
