import { type FormEvent, useState } from 'react';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextArea, TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';
import { cookiesOf } from './cookies-of.ts';

const { logins: texts } = words;
const EMPTY = { site: '', name: '', cookies: '' };

/** The form that saves a session: the cookies of a browser. */
export function LoginForm() {
  const [draft, setDraft] = useState(EMPTY);
  const [isAccepted, setAccepted] = useState(false);
  const { send, isSending } = useWrite('POST /logins', ['GET /logins']);
  const { site, name, cookies } = draft;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const body = {
      site: site.trim(),
      cookies: cookiesOf(cookies),
      terms_accepted: true as const,
      ...(name.trim() === '' ? {} : { name: name.trim() }),
    };
    if (!(await act(() => send({ body }), texts.saved(body.site)))) return;
    setDraft(EMPTY);
    setAccepted(false);
  };
  const set = (field: keyof typeof EMPTY) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value });
  const isReady = isAccepted && site.trim() !== '' && cookies.trim() !== '';
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 sm:grid-cols-2" noValidate>
      <TextField
        label={texts.site}
        placeholder={texts.sitePlaceholder}
        dir="ltr"
        autoCapitalize="none"
        value={site}
        onChange={set('site')}
      />
      <TextField label={texts.name} dir="auto" maxLength={100} value={name} onChange={set('name')} />
      <div className="sm:col-span-2">
        <TextArea
          label={texts.cookies}
          hint={texts.cookiesHint}
          rows={3}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          className="font-mono"
          value={cookies}
          onChange={set('cookies')}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 sm:col-span-2">
        <CheckField label={texts.terms} checked={isAccepted} onChange={(event) => setAccepted(event.target.checked)} />
        <Button kind="primary" type="submit" disabled={isSending || !isReady}>
          {texts.submit}
        </Button>
      </div>
    </form>
  );
}
