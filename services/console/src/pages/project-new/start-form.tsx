import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { isSample } from '../../parts/sample-project.ts';
import { ScheduleEditor } from '../../parts/settings/schedule-editor.tsx';
import { sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { SitePreview } from './site-preview.tsx';
import { useSitePreview } from './use-site-preview.ts';

const { create: texts } = words.projects;
const DEFAULT_PAGES = 1_000;
const timezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Watches one site in three steps: the site, when and where to report, the first run. */
export function StartForm({ url: given }: { url: string }) {
  const navigate = useNavigate();
  const [url, setUrl] = useState(given);
  const { isPreviewRequested } = useLocation().state;
  const [previewed, setPreviewed] = useState(isPreviewRequested === true ? given : undefined);
  const [schedule, setSchedule] = useState('daily');
  const [limit, setLimit] = useState(String(DEFAULT_PAGES));
  const [mail, setMail] = useState('');
  const [chat, setChat] = useState('');
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const seen = useSitePreview(previewed);
  const maxPages = Math.max(1, Number(limit) || DEFAULT_PAGES);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (previewed === undefined) return setPreviewed(url.trim());
    setSending(true);
    setError(undefined);
    try {
      const mails = mail.split(/[\s,]+/).filter((one) => one !== '');
      const config = {
        max_pages: maxPages,
        ...(mails.length === 0 ? {} : { notify_emails: mails }),
        ...(chat.trim() === '' ? {} : { chat_url: chat.trim() }),
      };
      const body = { seed: url.trim(), schedule, timezone: timezone(), config };
      const { id: project } = await client.call('POST /projects', { body });
      void refresh('GET /projects');
      const { id: run } = await client.call('POST /projects/{id}/runs', {
        path: { id: project },
        body: { trigger: 'manual' },
      });
      await navigate({ to: '/projects/$project/runs/$run', params: { project, run } });
    } catch (failure) {
      if (failure instanceof Error) setError(sentenceOf(failure));
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-6" noValidate>
      <Step number="1" title={texts.steps.site}>
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <TextField
              label={texts.site}
              type="url"
              dir="ltr"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={texts.placeholder}
              value={url}
              onChange={(event) => {
                setUrl(event.target.value);
                setPreviewed(undefined);
              }}
            />
          </div>
          {previewed === undefined ? (
            <Button kind="primary" type="submit" disabled={url.trim() === ''}>
              {texts.showPreview}
            </Button>
          ) : null}
        </div>
        <p className="mt-1 text-xs text-muted">{texts.previewHint}</p>
        {previewed === undefined ? <Others /> : null}
        {previewed === undefined ? null : (
          <div className="mt-3">
            <SitePreview of={seen} maxPages={maxPages} />
          </div>
        )}
      </Step>
      {previewed === undefined ? (
        <ol className="grid gap-2 border-t border-line pt-4 text-muted" start={2}>
          {[texts.steps.when, texts.steps.run].map((title, at) => (
            <li key={title} className="flex items-center gap-2">
              <StepNumber number={String(at + 2)} />
              {title}
            </li>
          ))}
        </ol>
      ) : (
        <>
          <Step number="2" title={texts.steps.when}>
            <div className="grid gap-4">
              <ScheduleEditor text={schedule} onText={setSchedule} timezone={timezone()} />
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                  label={texts.mail}
                  hint={texts.mailHint}
                  type="email"
                  value={mail}
                  onChange={(event) => setMail(event.target.value)}
                />
                <TextField
                  label={texts.chat}
                  hint={texts.chatHint}
                  dir="ltr"
                  value={chat}
                  onChange={(event) => setChat(event.target.value)}
                />
              </div>
              <div className="max-w-48">
                <TextField
                  label={texts.limit}
                  inputMode="numeric"
                  value={limit}
                  onChange={(event) => setLimit(event.target.value.replace(/\D/g, ''))}
                />
              </div>
            </div>
          </Step>
          <Step number="3" title={texts.steps.run}>
            {error === undefined ? null : (
              <p role="alert" className="anywhere mb-2 text-bad">
                {error}
              </p>
            )}
            <Button kind="primary" type="submit" disabled={isSending}>
              {texts.begin}
            </Button>
            <p className="mt-1 text-xs text-muted">{texts.beginHint}</p>
          </Step>
        </>
      )}
    </form>
  );
}

const StepNumber = ({ number }: { number: string }) => (
  <span aria-hidden className="inline-grid size-6 place-items-center rounded-full bg-idle text-xs text-ink">
    {number}
  </span>
);

function Step({ number, title, children }: { number: string; title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 flex items-center gap-2 font-semibold">
        <StepNumber number={number} />
        {title}
      </h2>
      {children}
    </section>
  );
}

/** The ways beside one site: the sample, and many sites at once. */
function Others() {
  const { data } = useRead('GET /projects', { query: { limit: 0 } });
  const sample = data?.data.find(isSample);
  return (
    <p className="mt-3 flex flex-wrap gap-x-4">
      {sample === undefined ? null : (
        <Link to="/projects/$project/changes" params={{ project: sample.id }} className="underline">
          {texts.sample}
        </Link>
      )}
      <Link to="/projects/new" search={{ many: true }} className="underline">
        {texts.many}
      </Link>
    </p>
  );
}
