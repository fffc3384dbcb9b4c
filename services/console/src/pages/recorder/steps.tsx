import { Check, Play, X } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ActionsEditor } from '../../parts/settings/structured.tsx';
import { words } from '../../words/words.ts';
import { type Played, type Steps, stepsIn } from './recorder-state.ts';

const { recorder: texts, settings } = words;

interface Props {
  readonly steps: string;
  /** Steps of the saved settings. */
  readonly saved: Steps;
  readonly played: Played | undefined;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly edit: (steps: string) => void;
  readonly play: (steps?: Steps) => void;
  readonly use: () => void;
}

/** The recorded steps: edited, removed, played, and put into the settings. */
export function StepList({ steps, saved, played, isOpen, isBusy, edit, play, use }: Props) {
  const list = stepsIn(steps);
  const hasSteps = list !== undefined && list.length > 0;
  return (
    <Panel>
      <ActionsEditor
        label={texts.steps}
        hint={list !== undefined && list.length === 0 ? `${texts.none}. ${texts.noneHint}` : texts.stepsHint}
        text={steps}
        onText={edit}
        error={undefined}
        disabled={false}
      />
      <div className="mt-4 flex flex-wrap gap-2 border-t border-line pt-4">
        <Button onClick={() => play()} disabled={!isOpen || isBusy || !hasSteps}>
          <Play aria-hidden size={16} />
          {texts.play}
        </Button>
        {saved.length > 0 && !hasSteps ? (
          <Button onClick={() => play(saved)} disabled={!isOpen || isBusy}>
            {texts.load}
          </Button>
        ) : null}
        <Button kind="primary" onClick={use} disabled={!hasSteps}>
          {texts.use}
        </Button>
        <p className="basis-full text-xs text-muted">{texts.useHint}</p>
      </div>
      {played === undefined ? null : <Results played={played} />}
    </Panel>
  );
}

function Results({ played: { failed, results } }: { played: Played }) {
  return (
    <div role="status" className="mt-4 border-t border-line pt-4">
      {failed === null ? null : <p className="text-bad">{texts.notOpened}</p>}
      <ol className="grid gap-1">
        {results.map(({ type, selector, ok, note }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place in the list
          <li key={at} className="flex items-start gap-2 text-xs">
            {ok ? (
              <Check aria-hidden size={16} className="shrink-0 text-good" />
            ) : (
              <X aria-hidden size={16} className="shrink-0 text-bad" />
            )}
            <span className="anywhere min-w-0">
              {settings.steps[type]} {selector === null ? null : <code>{selector}</code>}{' '}
              <span className={ok ? 'text-muted' : 'text-bad'}>
                {ok ? texts.passed : texts.failed(note)}
                {ok && note !== '' ? `, ${note}` : ''}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
