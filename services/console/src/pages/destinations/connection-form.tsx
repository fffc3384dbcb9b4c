import { type Connection, type Provider, TidemarkError } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Select, TextArea, TextField } from '../../parts/field.tsx';
import { nameOf } from '../../parts/settings/setting-value.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { bodyOf, type ConnectionBody, draftOf, fieldMessages } from './connection-draft.ts';

const { connections: texts } = words;

type Setting = Provider['fields'][number];

interface Props {
  readonly provider: Provider;
  readonly connection?: Connection;
  readonly label: string;
  readonly save: (body: ConnectionBody) => Promise<void>;
}

/** The fields of a connection, from the catalogue of providers. Stored secrets are never shown. */
export function ConnectionForm({ provider, connection, label, save }: Props) {
  const [draft, setDraft] = useState(() => draftOf(provider, connection));
  const [error, setError] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const messages = error instanceof TidemarkError ? fieldMessages(error.detail ?? []) : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setError(undefined);
    save(bodyOf(provider, draft, connection !== undefined))
      .catch((failure: Error) => setError(failure))
      .finally(() => setSending(false));
  };
  const set = (part: 'config' | 'secrets', name: string, text: string) =>
    setDraft({ ...draft, [part]: { ...draft[part], [name]: text } });
  return (
    <form onSubmit={submit} noValidate className="grid max-w-2xl gap-4">
      <p className="text-muted empty:hidden">{provider.note}</p>
      <TextField
        label={texts.name}
        error={messages['name']}
        dir="auto"
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      {provider.fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          error={messages[field.name]}
          text={draft.config[field.name] ?? ''}
          onText={(text) => set('config', field.name, text)}
        />
      ))}
      {provider.needsOneOf.length === 0 ? null : (
        <p className="text-muted">{texts.oneOf(provider.needsOneOf.join(', '))}</p>
      )}
      {provider.secrets.map((field) => (
        <Field
          key={field.name}
          field={field}
          isSecret
          isKept={connection?.secretsSet.includes(field.name) === true}
          error={messages[field.name]}
          text={draft.secrets[field.name] ?? ''}
          onText={(text) => set('secrets', field.name, text)}
        />
      ))}
      <FormError error={Object.keys(messages).length > 0 ? undefined : error} />
      <div>
        <Button kind="primary" type="submit" disabled={isSending}>
          {label}
        </Button>
      </div>
    </form>
  );
}

const FormError = ({ error }: { error: Error | undefined }) =>
  error === undefined ? null : (
    <p role="alert" className="anywhere text-bad">
      {sentenceOf(error)}
    </p>
  );

interface FieldProps {
  readonly field: Setting;
  readonly error: string | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isSecret?: boolean;
  readonly isKept?: boolean;
}

function Field({ field, error, text, onText, isSecret = false, isKept = false }: FieldProps) {
  const { name, required, says, type, choices } = field;
  const label = nameOf(name);
  const notes = [`${says.charAt(0).toUpperCase()}${says.slice(1)}.`];
  if (!required && !isKept) notes.push(texts.optional);
  if (isKept) notes.push(texts.secretKept);
  const common = { label, hint: notes.join(' '), error };
  const typed = { value: text, spellCheck: false, autoCapitalize: 'none', dir: 'ltr' } as const;
  if (type === 'choice' && choices.length > 0)
    return (
      <Select
        {...common}
        value={text}
        onValue={onText}
        choices={[...(choices.includes(text) ? [] : [text]), ...choices].map((value) => ({ value, text: value }))}
      />
    );
  if (type === 'lines')
    return <TextArea {...common} {...typed} rows={4} onChange={(event) => onText(event.target.value)} />;
  return (
    <TextField
      {...common}
      {...typed}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      onChange={(event) => onText(event.target.value)}
    />
  );
}
