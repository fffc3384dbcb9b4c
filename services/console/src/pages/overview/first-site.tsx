import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Scene } from '../../parts/scene.tsx';
import { Allowed } from '../../parts/states.tsx';
import { words } from '../../words/frame.ts';

const { overview } = words;

/** The overview of a workspace without projects of its own: one field for a URL, and the sample if there is one. */
export function FirstSite({ sample }: { sample: string | undefined }) {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/projects/new', search: { urls: url }, state: { isPreviewRequested: true } });
  };
  return (
    <Panel className="mb-4">
      <Allowed scope="write">
        <div className="flex flex-wrap items-center gap-x-8 gap-y-4 md:px-4 md:py-3">
          <Scene name="first" />
          <div className="min-w-0 flex-1 basis-80">
            <h2 className="text-lg font-semibold">{overview.firstTitle}</h2>
            <p className="mb-3 text-muted">{overview.firstHint}</p>
            <form onSubmit={submit} className="flex max-w-xl flex-wrap items-end gap-2">
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
            {sample === undefined ? null : (
              <p className="mt-3 text-sm">
                <Link to="/projects/$project/changes" params={{ project: sample }} className="text-accent underline">
                  {overview.sample}
                </Link>
              </p>
            )}
          </div>
        </div>
      </Allowed>
    </Panel>
  );
}
