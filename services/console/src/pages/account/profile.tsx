import { type FormEvent, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';

const { profile: texts, password: passwordTexts } = words.account;

/** Name and address of the person. */
export function ProfileForm() {
  const { user, blocked } = useSession();
  return (
    <Panel title={texts.title}>
      <div className="grid gap-6">
        {blocked === 'email_unverified' ? <Unverified /> : null}
        {blocked !== 'email_unverified' && !user.emailVerified ? <p className="text-muted">{texts.unproven}</p> : null}
        <NameForm key={user.name} name={user.name} />
        <EmailForm key={user.email} email={user.email} hasPassword={user.hasPassword} />
      </div>
    </Panel>
  );
}

function Unverified() {
  const { send, isSending } = useWrite('POST /auth/verify/request');
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p>{texts.unverified}</p>
      <Button disabled={isSending} onClick={() => void act(() => send({ body: {} }), texts.resent)}>
        {texts.resend}
      </Button>
    </div>
  );
}

function NameForm({ name }: { name: string }) {
  const { send, isSending } = useWrite('PATCH /auth/profile', ['GET /auth/session', 'GET /auth/members']);
  const [next, setNext] = useState(name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const rename = (to: string) => () => send({ body: { name: to } });
    void act(rename(next.trim()), texts.renamed, () => void act(rename(name), texts.renamed));
  };
  return (
    <form onSubmit={save} className="grid gap-3" noValidate>
      <TextField
        label={texts.name}
        autoComplete="name"
        dir="auto"
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
      <div>
        <Button type="submit" disabled={isSending || next.trim() === '' || next === name}>
          {words.states.save}
        </Button>
      </div>
    </form>
  );
}

function EmailForm({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const { send, isSending } = useWrite('PATCH /auth/profile', ['GET /auth/session']);
  const [next, setNext] = useState(email);
  const [password, setPassword] = useState('');
  const [pending, setPending] = useState<string>();
  const isChanged = next.trim() !== '' && next !== email;
  const save = (event: FormEvent) => {
    event.preventDefault();
    void act(async () => {
      const { pendingEmail } = await send({ body: { email: next.trim(), ...(hasPassword ? { password } : {}) } });
      setPending(pendingEmail ?? undefined);
      setPassword('');
    });
  };
  return (
    <form onSubmit={save} className="grid gap-3" noValidate>
      <TextField
        label={texts.email}
        hint={texts.emailHint}
        type="email"
        autoComplete="username"
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
      {isChanged && hasPassword ? (
        <TextField
          label={texts.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      ) : null}
      {pending === undefined ? null : (
        <p role="status" className="anywhere">
          {texts.pending(pending)}
        </p>
      )}
      <div>
        <Button type="submit" disabled={isSending || !isChanged || (hasPassword && password === '')}>
          {texts.change}
        </Button>
      </div>
    </form>
  );
}

/** The form that changes the password. */
export function PasswordForm() {
  const { user } = useSession();
  const { send, isSending } = useWrite('POST /auth/password', ['GET /auth/sessions']);
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await act(() => send({ body: { current, password } }), passwordTexts.changed))) return;
    setCurrent('');
    setPassword('');
  };
  if (!user.hasPassword)
    return (
      <Panel title={passwordTexts.title}>
        <p className="text-muted">{passwordTexts.none}</p>
      </Panel>
    );
  return (
    <Panel title={passwordTexts.title}>
      <form onSubmit={(event) => void save(event)} className="grid gap-3" noValidate>
        {/* Password managers store the new password under this name. */}
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <TextField
          label={passwordTexts.current}
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label={passwordTexts.next}
          hint={passwordTexts.nextHint}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div>
          <Button type="submit" disabled={isSending || current === '' || password === ''}>
            {passwordTexts.submit}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
