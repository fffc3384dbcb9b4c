import { useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { type Edits, withEdit } from '../../parts/settings/draft.ts';
import { SettingField } from '../../parts/settings/setting-field.tsx';
import { Allowed, Empty, Loaded, Loading, sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { ResultView } from './result.tsx';
import { captureConfig, configOf, FROM, useAttempt, useJob, useOptions } from './use-attempt.ts';

const { playground: texts } = words;

/** Captures one page with all evidence, and shows the code that repeats it. */
export function PlaygroundPage() {
  return (
    <>
      <PageHead title={texts.title} />
      <Allowed scope="write">
        <AttemptForm />
        <Attempt />
      </Allowed>
    </>
  );
}

function AttemptForm() {
  const view = useSearch({ from: FROM });
  const options = useOptions();
  const [url, setUrl] = useState(view.url ?? '');
  const [plain, setPlain] = useState(view.plain ?? false);
  const [exit, setExit] = useState(view.exit ?? false);
  const [edits, setEdits] = useState<Edits>(view.options ?? {});
  const { start, isSending, error } = useAttempt();
  const send = (event: FormEvent) => {
    event.preventDefault();
    const kept = Object.keys(edits).length === 0 ? undefined : edits;
    const next = { url, plain: plain ? true : undefined, exit: exit ? true : undefined, options: kept } as const;
    // The message of a failure is shown at the URL.
    start(next, configOf(options, edits)).catch(() => undefined);
  };
  return (
    <Panel className="mb-4">
      <form onSubmit={send} noValidate className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <TextField
              label={texts.url}
              error={error === undefined ? undefined : sentenceOf(error)}
              type="url"
              dir="ltr"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="https://example.com/"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          </div>
          <Button kind="primary" type="submit" disabled={isSending || url.trim() === ''}>
            <Play aria-hidden size={16} />
            {texts.run}
          </Button>
        </div>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <CheckField label={texts.browser} checked={!plain} onChange={(event) => setPlain(!event.target.checked)} />
          <CheckField label={texts.exit} checked={exit} onChange={(event) => setExit(event.target.checked)} />
        </div>
        <details>
          <summary className="text-muted hover:text-ink">{texts.more}</summary>
          <div className="mt-4">
            {options.map((option) => (
              <SettingField
                key={option.key}
                setting={option}
                edits={edits}
                onText={(setting, text) => setEdits((was) => withEdit(was, setting, text))}
                message={undefined}
                canWrite
              />
            ))}
          </div>
        </details>
      </form>
    </Panel>
  );
}

function Attempt() {
  const view = useSearch({ from: FROM });
  const options = useOptions();
  const job = useJob(view.job);
  if (view.job === undefined)
    return (
      <Panel>
        <Empty title={texts.start} hint={texts.startHint} />
      </Panel>
    );
  const config = captureConfig(view, configOf(options, view.options ?? {}));
  return (
    <Loaded of={job}>
      {(data) => {
        if (data.result !== null)
          return (
            <ResultView job={data} row={data.result} capture={{ url: view.url ?? data.result.askedUrl, config }} />
          );
        if (data.status === 'queued' || data.status === 'running')
          return (
            <Panel>
              <p role="status">{texts.running}</p>
              <Loading />
            </Panel>
          );
        return (
          <Panel>
            <Empty title={texts.failed(data.error ?? data.status)} />
          </Panel>
        );
      }}
    </Loaded>
  );
}
