import { type FormEvent, useState } from 'react';
import { client } from '../api/client.ts';
import { endFreshCode } from '../api/fresh-code.ts';
import { showPasskey } from '../api/passkeys.ts';
import { refresh } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { sentenceOf } from '../parts/states.tsx';
import { words } from '../words/words.ts';

const { freshCode: texts } = words.account;
const CODE_LENGTH = 6;

/** Returns a code as the field of the request that it belongs to: recovery codes are longer. */
const bodyOf = (code: string) => (code.replace(/[\s-]/g, '').length > CODE_LENGTH ? { recovery_code: code } : { code });

/** The form of the dialog that requires the second factor. */
export function CodeForm() {
  const { user } = useSession();
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async (verify: () => Promise<unknown>) => {
    setSending(true);
    setError(undefined);
    try {
      await verify();
      void refresh('GET /auth/session');
      endFreshCode(true);
    } catch (failure) {
      setError(failure instanceof Error ? sentenceOf(failure) : String(failure));
      setSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(() => client.call('POST /auth/2fa/verify', { body: bodyOf(code.trim()) }));
  };
  const byPasskey = async () => {
    const { options } = await client.call('POST /auth/2fa/options', { body: {} });
    await client.call('POST /auth/2fa/verify', { body: { passkey: await showPasskey(options) } });
  };
  return (
    <form onSubmit={submit} className="grid gap-4" noValidate>
      <p className="text-muted">{texts.hint}</p>
      <TextField
        autoFocus
        label={user.twoFactor.app ? texts.code : texts.recoveryCode}
        error={error}
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        {user.twoFactor.passkeys === 0 ? null : (
          <Button disabled={isSending} onClick={() => void send(byPasskey)}>
            {texts.usePasskey}
          </Button>
        )}
        <Button onClick={() => endFreshCode(false)}>{words.states.cancel}</Button>
        <Button kind="primary" type="submit" disabled={isSending || code.trim() === ''}>
          {texts.submit}
        </Button>
      </div>
    </form>
  );
}
