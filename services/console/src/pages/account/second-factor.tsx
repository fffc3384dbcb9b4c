import type { Profile } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/words.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

const { factor: texts } = words.account;

/** The authenticator app and the recovery codes of the person. */
export function SecondFactor() {
  const { user } = useSession();
  const { on, app, recoveryCodesLeft } = user.twoFactor;
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [started, setStarted] = useState<Profile>();
  return (
    <Panel title={texts.title} actions={<Badge tone={on ? 'good' : 'idle'}>{on ? texts.on : texts.off}</Badge>}>
      <div className="grid gap-4">
        <p>
          {app ? texts.appOn : texts.appOff}
          {on ? ` ${texts.codes}: ${texts.left(words.counts.codes(recoveryCodesLeft))}.` : ''}
        </p>
        {codes.length > 0 ? (
          <RecoveryCodes codes={codes} onDone={() => setCodes([])} />
        ) : started === undefined ? (
          <FactorActions onStarted={setStarted} onCodes={setCodes} />
        ) : (
          <ConfirmApp
            started={started}
            onDone={(made) => {
              setStarted(undefined);
              setCodes(made);
            }}
          />
        )}
      </div>
    </Panel>
  );
}

interface ActionProps {
  readonly onStarted: (profile: Profile) => void;
  readonly onCodes: (codes: readonly string[]) => void;
}

/** Setting up, removing and renewing; each requires the password. */
function FactorActions({ onStarted, onCodes }: ActionProps) {
  const { user } = useSession();
  const { app, on } = user.twoFactor;
  const { send, isSending } = useWrite('PATCH /auth/profile', ['GET /auth/session', 'GET /auth/sessions']);
  const [password, setPassword] = useState('');
  const isReady = !isSending && (password !== '' || !user.hasPassword);
  const change = (two_factor: 'start' | 'off' | 'renew_codes', then: (profile: Profile) => void, done?: string) =>
    void act(async () => {
      then(await send({ body: { two_factor, ...(user.hasPassword ? { password } : {}) } }));
      setPassword('');
    }, done);
  const start = () => change('start', onStarted);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) start();
  };
  return (
    <form onSubmit={submit} className="grid gap-3" noValidate>
      {user.hasPassword ? (
        <TextField
          label={texts.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button kind={app ? 'plain' : 'primary'} type="submit" disabled={!isReady}>
          {app ? texts.again : texts.start}
        </Button>
        {on ? (
          <Button
            disabled={!isReady}
            onClick={() => change('renew_codes', ({ recoveryCodes = [] }) => onCodes(recoveryCodes))}
          >
            {texts.renew}
          </Button>
        ) : null}
        {app ? (
          <Button kind="danger" disabled={!isReady} onClick={() => change('off', () => undefined, texts.removed)}>
            {texts.remove}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

function ConfirmApp({ started, onDone }: { started: Profile; onDone: (codes: readonly string[]) => void }) {
  const { send, isSending } = useWrite('POST /auth/2fa/verify', ['GET /auth/session', 'GET /auth/sessions']);
  const [code, setCode] = useState('');
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    void act(async () => {
      const { recoveryCodes = [] } = await send({ body: { code: code.trim() } });
      onDone(recoveryCodes);
    }, texts.confirmed);
  };
  const { qrSvg = '', secret = '' } = started;
  return (
    <form onSubmit={confirm} className="grid gap-3" noValidate>
      <p className="text-muted">{texts.scan}</p>
      <img
        alt={texts.picture}
        width={200}
        height={200}
        src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
        className="rounded-md bg-white p-2"
      />
      <code dir="ltr" className="anywhere">
        {secret}
      </code>
      <TextField
        autoFocus
        label={texts.code}
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={isSending || code.trim() === ''}>
          {texts.confirm}
        </Button>
        <Button onClick={() => onDone([])}>{words.states.cancel}</Button>
      </div>
    </form>
  );
}
