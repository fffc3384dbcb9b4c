import { useRead } from '../../api/queries.ts';
import { words } from '../../words/words.ts';
import { countries } from '../countries.ts';
import { Select } from '../field.tsx';
import { AlertsEditor } from './alerts-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SelectorList } from './selector-list.tsx';
import {
  ActionsEditor,
  DigestEditor,
  type EditorProps,
  ExtractEditor,
  FieldsEditor,
  OverridesEditor,
  PairsEditor,
} from './structured.tsx';

const { settings: texts } = words;

/** Settings with a control of their own. */
const KEYS = [
  'schedule',
  'timezone',
  'country',
  'login_id',
  'include_selectors',
  'exclude_selectors',
  'volatile_selectors',
  'fields',
  'headers',
  'cookies',
  'webhook_metadata',
  'actions',
  'extract',
  'change_digest',
  'alerts',
  'volatile_overrides',
] as const;
type Key = (typeof KEYS)[number];

export const hasEditor = (key: string): key is Key => KEYS.some((one) => one === key);

interface Props extends EditorProps {
  readonly name: Key;
  readonly timezone: string;
}

/** The control of a setting that has one of its own. */
export function ChoiceByKey({ name, timezone, ...props }: Props) {
  switch (name) {
    case 'schedule':
      return <ScheduleEditor {...props} timezone={timezone} />;
    case 'timezone':
      return <TimezoneChoice {...props} />;
    case 'country':
      return <CountryChoice {...props} />;
    case 'login_id':
      return <LoginChoice {...props} />;
    case 'include_selectors':
    case 'exclude_selectors':
    case 'volatile_selectors':
      return <SelectorList {...props} />;
    case 'fields':
      return <FieldsEditor {...props} />;
    case 'headers':
      return <PairsEditor {...props} add={texts.addHeader} />;
    case 'cookies':
      return <PairsEditor {...props} add={texts.addCookie} />;
    case 'webhook_metadata':
      return <PairsEditor {...props} add={texts.addPair} />;
    case 'actions':
      return <ActionsEditor {...props} />;
    case 'extract':
      return <ExtractEditor {...props} />;
    case 'change_digest':
      return <DigestEditor {...props} />;
    case 'alerts':
      return <AlertsEditor {...props} />;
    case 'volatile_overrides':
      return <OverridesEditor {...props} />;
  }
}

const withValue = (value: string, known: readonly string[]): readonly string[] =>
  value === '' || known.includes(value) ? known : [value, ...known];

export function TimezoneChoice({ text, onText, ...common }: EditorProps) {
  const zones = withValue(text, ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]);
  return (
    <Select
      {...common}
      value={text}
      onValue={onText}
      choices={zones.map((value) => ({ value, text: value.replaceAll('_', ' ') }))}
      className="max-w-sm"
    />
  );
}

function CountryChoice({ text, onText, ...common }: EditorProps) {
  return (
    <Select
      {...common}
      value={text.toUpperCase()}
      onValue={onText}
      choices={[{ value: '', text: texts.anyCountry }, ...countries()]}
      className="max-w-sm"
    />
  );
}

function LoginChoice({ text, onText, ...common }: EditorProps) {
  const { data } = useRead('GET /logins', { query: { limit: 1_000 } });
  const logins = (data?.data ?? []).map(({ id, name, site }) => ({
    value: id,
    text: name === null ? site : `${name}, ${site}`,
  }));
  const isKnown = text === '' || logins.some(({ value }) => value === text);
  return (
    <Select
      {...common}
      value={text}
      onValue={onText}
      choices={[
        { value: '', text: texts.noLogin },
        ...logins,
        ...(isKnown ? [] : [{ value: text, text: data === undefined ? words.states.loading : texts.otherLogin }]),
      ]}
      className="max-w-sm"
    />
  );
}
