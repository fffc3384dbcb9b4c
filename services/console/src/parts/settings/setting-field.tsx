import { RotateCcw } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Badge } from '../badge.tsx';
import { Button } from '../button.tsx';
import { CheckField, Select, TextArea, TextField } from '../field.tsx';
import { ChoiceByKey, hasEditor } from './by-key.tsx';
import { type Edits, resetText, type Setting, storedText } from './draft.ts';
import { labelOf } from './labels.ts';
import { parseText, textOf } from './setting-value.ts';

const { settings: texts } = words;
const MAX_ROWS = 12;

interface Props {
  readonly setting: Setting;
  readonly edits: Edits;
  readonly onText: (setting: Setting, text: string) => void;
  readonly message: string | undefined;
  readonly canWrite: boolean;
  /** Lowest credits of a page that this setting causes; undefined: it does not raise the price. */
  readonly raisedTo?: number | undefined;
  /** Time zone of the schedule. */
  readonly timezone?: string;
}

/** Returns the default of a setting in words. */
function defaultText(setting: Setting): string {
  const { fallback, kind } = setting;
  const { choices = {} } = labelOf(setting);
  if (kind === 'flag') return fallback === true ? texts.yes : texts.no;
  if (Array.isArray(fallback))
    return fallback.length === 0 ? texts.emptyList : fallback.map((one) => choices[one] ?? one).join(', ');
  const text = kind === 'json' ? JSON.stringify(fallback ?? null) : textOf(fallback, kind);
  if (text === '' || text === 'null' || text === '{}' || text === '[]') return texts.notSet;
  return choices[text] ?? (kind === 'number' ? number(Number(text)) : text);
}

/** One setting: its control, its description and default, whether it differs, its price, and its refusal. */
export function SettingField({ setting, edits, onText, message, canWrite, raisedTo, timezone = 'UTC' }: Props) {
  const edit = edits[setting.key];
  const text = edit ?? storedText(setting);
  const parsed = parseText(text, setting.kind);
  const problem = 'problem' in parsed ? { number: texts.badNumber, json: texts.badJson }[parsed.problem] : message;
  const reset = resetText(setting);
  const differs = text !== reset && setting.group !== 'general';
  return (
    <div
      data-setting={setting.key}
      className="grid gap-x-6 gap-y-2 border-t border-line py-4 first:border-t-0 first:pt-0 md:grid-cols-[minmax(0,42rem)_9rem]"
    >
      <div className="min-w-0">
        <Control
          setting={setting}
          text={text}
          onText={(next) => onText(setting, next)}
          error={problem}
          disabled={!canWrite}
          timezone={timezone}
        />
        {raisedTo === undefined ? null : (
          <p className="mt-1 text-xs font-medium">{texts.raises(words.counts.credits(raisedTo))}</p>
        )}
      </div>
      <div className="flex flex-wrap content-start items-center gap-x-3 gap-y-1 text-xs md:flex-col md:items-start">
        {edit === undefined ? null : <Badge tone="info">{texts.unsaved}</Badge>}
        {differs ? <Badge tone="idle">{texts.changed}</Badge> : null}
        {differs && canWrite ? (
          <Button
            kind="quiet"
            aria-label={texts.reset(labelOf(setting).name)}
            onClick={() => onText(setting, reset)}
            className="-ms-3 text-xs"
          >
            <RotateCcw aria-hidden size={14} />
            {texts.resetShort}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** A description with its parts between backticks as code. */
const Marked = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });

interface ControlProps {
  readonly setting: Setting;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly timezone: string;
}

function Control({ setting, text, onText, error, disabled, timezone }: ControlProps) {
  const { key, kind, choices, bounds, group } = setting;
  const { name, hint: meaning, unit, choices: names = {} } = labelOf(setting);
  const nameOfChoice = (value: string): string => names[value] ?? value;
  const format = kind === 'lines' && !hasEditor(key) ? ` ${texts.lines}` : '';
  const description = `${meaning}${format}${group === 'general' ? '' : ` ${texts.isDefault(defaultText(setting))}`}`;
  const hint = <Marked text={description} />;
  const label = unit === undefined ? name : texts.unitOf(name, unit);
  const common = { label, hint, error, disabled };
  const typed = { dir: 'auto', spellCheck: false, autoCapitalize: 'none', value: text } as const;
  if (hasEditor(key)) return <ChoiceByKey {...common} name={key} text={text} onText={onText} timezone={timezone} />;
  if (kind === 'flag')
    return (
      <CheckField
        label={label}
        hint={hint}
        disabled={disabled}
        checked={text === 'true'}
        onChange={(event) => onText(String(event.target.checked))}
      />
    );
  if (kind === 'choice')
    return (
      <Select
        {...common}
        value={text}
        onValue={onText}
        choices={choices.map((value) => ({ value, text: nameOfChoice(value) }))}
        className="max-w-sm"
      />
    );
  if (kind === 'choices')
    return (
      <Choices
        label={label}
        hint={hint}
        choices={choices}
        nameOf={nameOfChoice}
        text={text}
        onText={onText}
        error={error}
        disabled={disabled}
      />
    );
  if (kind === 'lines' || kind === 'json')
    return (
      <TextArea
        {...common}
        {...typed}
        rows={Math.min(MAX_ROWS, Math.max(2, text.split('\n').length))}
        onChange={(event) => onText(event.target.value)}
        className="font-mono text-xs"
      />
    );
  const isNumber = kind === 'number';
  return (
    <TextField
      {...common}
      {...typed}
      {...(isNumber ? { inputMode: 'numeric', placeholder: texts.notSet, ...bounds } : {})}
      onChange={(event) => onText(event.target.value)}
      className={isNumber ? 'max-w-40' : ''}
    />
  );
}

interface ChoicesProps extends Omit<ControlProps, 'setting' | 'timezone'> {
  readonly label: string;
  readonly hint: ReactNode;
  readonly choices: readonly string[];
  readonly nameOf: (value: string) => string;
}

function Choices({ label, hint, choices, nameOf, text, onText, error, disabled }: ChoicesProps) {
  const chosen = new Set(text.split('\n').filter((one) => one !== ''));
  const toggle = (value: string) =>
    onText(choices.filter((one) => (one === value ? !chosen.has(one) : chosen.has(one))).join('\n'));
  return (
    <fieldset disabled={disabled}>
      <legend className="mb-1 font-medium">{label}</legend>
      <p className="mb-2 text-xs text-muted">{hint}</p>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        {choices.map((value) => (
          <CheckField key={value} label={nameOf(value)} checked={chosen.has(value)} onChange={() => toggle(value)} />
        ))}
      </div>
      {error === undefined ? null : <p className="anywhere mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  );
}
