import { alertCondition } from '@tidemark/sdk';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { words } from '../../words/words.ts';
import { Button } from '../button.tsx';
import { CheckField, Select, TextArea, TextField } from '../field.tsx';
import { AlertPreview } from './alert-preview.tsx';
import {
  type AlertRow,
  blankAlert,
  CHANNELS,
  type Channel,
  DELIVERIES,
  readAlerts,
  writeAlerts,
} from './alert-rows.ts';
import { FormOrJson } from './json-toggle.tsx';
import { useRows } from './row-list.tsx';
import type { EditorProps } from './structured.tsx';

const { alerts: texts, removeRow } = words.settings;
const CODE = { dir: 'ltr', spellCheck: false, autoCapitalize: 'none' } as const;

interface RowProps {
  readonly row: AlertRow;
  readonly change: (next: Partial<AlertRow>) => void;
}

/** Rules that state which changes are reported at once, each with a preview on the stored records. */
export function AlertsEditor(props: EditorProps) {
  const [rows, setRows] = useRows(props.text, props.onText, { read: readAlerts, write: writeAlerts });
  const change = (at: number, next: Partial<AlertRow>) =>
    setRows(rows?.map((row, index) => (index === at ? { ...row, ...next } : row)) ?? []);
  const form = rows && (
    <div className="grid gap-3">
      {rows.length === 0 ? null : (
        <ul className="grid gap-3">
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
            <li key={at} className="grid gap-3 rounded-md border border-line p-3">
              <RuleFields row={row} change={(next) => change(at, next)} />
              <AlertPreview row={row} />
              <div>
                <Button
                  kind="quiet"
                  className="-ms-3 text-xs"
                  onClick={() => setRows(rows.filter((_, index) => index !== at))}
                >
                  <Trash2 aria-hidden size={14} />
                  {removeRow(row.name)}
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button onClick={() => setRows([...rows, blankAlert(rows)])}>
          <Plus aria-hidden size={16} />
          {texts.add}
        </Button>
      </div>
    </div>
  );
  return <FormOrJson {...props} form={form} />;
}

function RuleFields({ row, change }: RowProps) {
  return (
    <>
      <TextField
        label={texts.name}
        dir="auto"
        value={row.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TemplateChoice change={change} />
      <TextArea
        {...CODE}
        label={texts.when}
        hint={texts.whenHint}
        rows={2}
        value={row.when}
        onChange={(event) => change({ when: event.target.value })}
        className="font-mono text-xs"
      />
      <Channels row={row} change={change} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label={texts.deliver}
          value={row.deliver}
          onValue={(deliver) => change({ deliver })}
          choices={DELIVERIES.map((value) => ({ value, text: texts.deliveries[value] }))}
        />
        {row.deliver === 'now' ? null : (
          <TextField
            label={texts.at}
            type="time"
            value={row.at}
            onChange={(event) => change({ at: event.target.value })}
          />
        )}
        <TextField
          label={texts.cooldown}
          hint={texts.cooldownHint}
          inputMode="numeric"
          value={row.cooldown}
          onChange={(event) => change({ cooldown: event.target.value.replace(/\D/g, '') })}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={texts.quietFrom}
          type="time"
          value={row.quietFrom}
          onChange={(event) => change({ quietFrom: event.target.value })}
        />
        <TextField
          label={texts.quietTo}
          type="time"
          value={row.quietTo}
          onChange={(event) => change({ quietTo: event.target.value })}
        />
      </div>
      <CheckField
        label={texts.initial}
        checked={row.initial}
        onChange={(event) => change({ initial: event.target.checked })}
      />
    </>
  );
}

function Channels({ row, change }: RowProps) {
  const toggle = (channel: Channel, isOn: boolean) =>
    change({ channels: CHANNELS.filter((one) => (one === channel ? isOn : row.channels.includes(one))) });
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{texts.channels}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {CHANNELS.map((channel) => (
          <CheckField
            key={channel}
            label={texts.channelNames[channel]}
            checked={row.channels.includes(channel)}
            onChange={(event) => toggle(channel, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

const NONE = 'none';
type TemplateId = keyof typeof texts.templates;
const isNamed = (id: string): id is TemplateId => Object.hasOwn(texts.templates, id);
type ParameterName = keyof typeof texts.parameters;
const isParameter = (name: string): name is ParameterName => Object.hasOwn(texts.parameters, name);

/** Writes the condition of a template with the values that a person enters. */
function TemplateChoice({ change }: Pick<RowProps, 'change'>) {
  const { data } = useRead('GET /meta', {});
  const [id, setId] = useState(NONE);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const templates = data?.alertTemplates ?? [];
  const template = templates.find((one) => one.id === id);
  const choose = (next: string) => {
    setId(next);
    setValues({});
    const chosen = templates.find((one) => one.id === next);
    if (chosen?.parameters.length === 0) change({ when: chosen.when });
  };
  const enter = (name: string, value: string) => {
    const next = { ...values, [name]: value };
    setValues(next);
    if (template !== undefined) change({ when: alertCondition(template, next) });
  };
  const named = templates.flatMap((one) => (isNamed(one.id) ? [{ value: one.id, text: texts.templates[one.id] }] : []));
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Select
        label={texts.template}
        value={id}
        onValue={choose}
        choices={[{ value: NONE, text: texts.noTemplate }, ...named]}
      />
      {template?.parameters.map(({ name, type }) => (
        <TextField
          key={name}
          label={isParameter(name) ? texts.parameters[name] : name}
          dir={type === 'text' ? 'auto' : 'ltr'}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          value={values[name] ?? ''}
          onChange={(event) => enter(name, event.target.value)}
        />
      ))}
    </div>
  );
}
