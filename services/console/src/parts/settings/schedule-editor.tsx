import { useState } from 'react';
import { zonedMoment, zonedRange } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Select, TextField } from '../field.tsx';
import { nextRuns } from './next-runs.ts';
import { MAX_MONTHDAY, RHYTHMS, readSchedule, type ScheduleDraft, writeSchedule } from './schedule-draft.ts';

const { settings: texts } = words;
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0] as const;

interface Props {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly timezone: string;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
}

/** Builds a schedule, and shows when its next three runs start. */
export function ScheduleEditor({ text, onText, timezone, error, disabled = false }: Props) {
  // An expression that is typed may look like another rhythm on the way.
  const [kept, setKept] = useState({ text, draft: readSchedule(text) });
  const draft = kept.text === text ? kept.draft : readSchedule(text);
  const change = (next: Partial<ScheduleDraft>) => {
    const changed = { ...draft, ...next };
    const written = writeSchedule(changed);
    setKept({ text: written, draft: changed });
    onText(written);
  };
  const { rhythm } = draft;
  const hasTime = rhythm === 'daily' || rhythm === 'weekly' || rhythm === 'monthly';
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-1 font-medium">{texts.schedule.title}</legend>
      <div className="flex flex-wrap items-start gap-3">
        <Select
          label={texts.schedule.rhythm}
          hideLabel
          value={rhythm}
          onValue={(next) =>
            change({ rhythm: next, cron: next === 'cron' && draft.cron === '' ? '0 9 * * 1-5' : draft.cron })
          }
          choices={RHYTHMS.map((value) => ({ value, text: texts.schedule.rhythms[value] }))}
          className="w-auto"
        />
        {rhythm === 'weekly' ? (
          <Select
            label={texts.schedule.weekday}
            hideLabel
            value={String(draft.weekday)}
            onValue={(day) => change({ weekday: Number(day) })}
            choices={WEEKDAYS.map((day) => ({ value: String(day), text: texts.schedule.weekdays[day] ?? '' }))}
            className="w-auto"
          />
        ) : null}
        {rhythm === 'monthly' ? (
          <Select
            label={texts.schedule.monthday}
            hideLabel
            value={String(draft.monthday)}
            onValue={(day) => change({ monthday: Number(day) })}
            choices={Array.from({ length: MAX_MONTHDAY }, (_, at) => ({
              value: String(at + 1),
              text: texts.schedule.onDay(String(at + 1)),
            }))}
            className="w-auto"
          />
        ) : null}
        {hasTime ? (
          <div className="w-36">
            <TextField
              label={texts.schedule.time}
              hideLabel
              type="time"
              value={draft.time ?? ''}
              onChange={(event) => change({ time: event.target.value === '' ? undefined : event.target.value })}
            />
          </div>
        ) : null}
        {rhythm === 'cron' ? (
          <div className="w-56">
            <TextField
              label={texts.schedule.cron}
              hideLabel
              dir="ltr"
              spellCheck={false}
              placeholder="0 9 * * 1-5"
              value={draft.cron}
              onChange={(event) => change({ cron: event.target.value })}
              className="font-mono"
            />
          </div>
        ) : null}
      </div>
      {rhythm === 'cron' ? <p className="mt-1 text-xs text-muted">{texts.schedule.cronHint}</p> : null}
      {error === undefined ? (
        <NextRuns schedule={text} timezone={timezone} />
      ) : (
        <p className="anywhere mt-1 text-xs text-bad">{error}</p>
      )}
    </fieldset>
  );
}

/** The next three starts, in the time zone of the schedule. */
export function NextRuns({ schedule, timezone }: { schedule: string; timezone: string }) {
  const runs = nextRuns(schedule, timezone, new Date());
  if (runs === undefined) return <p className="mt-1 text-xs text-bad">{texts.schedule.invalid}</p>;
  if (runs.length === 0) return <p className="mt-1 text-xs text-muted">{texts.schedule.never}</p>;
  return (
    <div className="mt-2 text-xs text-muted" role="status">
      <p>{texts.schedule.next(timezone)}</p>
      <ol className="mt-0.5">
        {runs.map(({ from, until }) => (
          <li key={from.getTime()}>
            {until === undefined ? zonedMoment(from, timezone) : zonedRange(from, until, timezone)}
          </li>
        ))}
      </ol>
    </div>
  );
}
