import { Link, useParams } from '@tanstack/react-router';
import type { Result } from '@tidemark/sdk';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useWrite } from '../../api/writes.ts';
import { date, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Button } from '../button.tsx';
import type { AlertRow } from './alert-rows.ts';

const { alerts: texts } = words.settings;
const SHOWN = 5;

type Preview = Result<'POST /projects/{id}/alerts/preview'>;

/** What a rule would have matched in the stored records of the project; nothing while a project is created. */
export function AlertPreview({ row: { when, initial, cooldown } }: { readonly row: AlertRow }) {
  const { project } = useParams({ strict: false });
  const { send, isSending, error } = useWrite('POST /projects/{id}/alerts/preview');
  const [found, setFound] = useState<{ readonly when: string; readonly preview: Preview }>();
  const [tried, setTried] = useState('');
  if (project === undefined) return null;
  const preview = () => {
    setTried(when);
    const body = { when, initial, cooldown_minutes: Number(cooldown), limit: SHOWN };
    send({ path: { id: project }, body })
      .then((result) => setFound({ when, preview: result }))
      .catch(() => setFound(undefined));
  };
  return (
    <div className="grid gap-2">
      <div>
        <Button onClick={preview} disabled={when.trim() === '' || isSending}>
          <Play aria-hidden size={16} />
          {texts.preview}
        </Button>
      </div>
      <div role="status">
        {error === undefined || tried !== when ? null : <p className="anywhere text-xs text-bad">{error.message}</p>}
        {error === undefined && found?.when === when ? <Found preview={found.preview} project={project} /> : null}
      </div>
    </div>
  );
}

function Found({ preview, project }: { readonly preview: Preview; readonly project: string }) {
  const { matches, matched, dismissed, changes, since, failed, failure } = preview;
  return (
    <div className="grid gap-1 text-sm">
      <p>
        {since === null
          ? texts.nothingStored
          : texts.matched(number(matched), number(changes), date(since), number(dismissed))}
      </p>
      {failed === 0 ? null : (
        <p className="anywhere text-xs text-muted">{texts.failed(number(failed), failure ?? '')}</p>
      )}
      <ul className="grid gap-1">
        {matches.map(({ change: { id, runId, url, title }, madeAt }) => (
          <li key={id} className="flex min-w-0 gap-2">
            <span className="shrink-0 text-muted tabular-nums">{date(madeAt)}</span>
            <Link
              to="/projects/$project/changes"
              params={{ project }}
              search={{ run: runId, change: id }}
              className="min-w-0 truncate underline"
            >
              <bdi>{title ?? url}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
