import type { Passkeys as PasskeyList } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { createPasskey } from '../../api/passkeys.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { sendFresh, useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/words.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

const { passkeys: texts, factor } = words.account;
type Passkey = PasskeyList['data'][number];

/** Whether a host is an IP address, for which no passkey can be created (W3C WebAuthn: a relying party is a domain). */
const isAddress = (host: string): boolean => /^[\d.]+$|^\[/.test(host);
/** Returns the URL of this page by the name of the machine. */
const nameUrl = ({ protocol, port, pathname }: Location): string =>
  `${protocol}//localhost${port === '' ? '' : `:${port}`}${pathname}`;

/** The passkeys of the person. */
export function Passkeys() {
  const all = useRead('GET /auth/passkeys', {});
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Panel title={texts.title}>
      <Loaded of={all}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="mb-4 text-muted">{texts.none}</p>
          ) : (
            <ul className="mb-4">
              {data.map((passkey) => (
                <Item key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAddress(location.hostname) ? (
        <p className="text-muted">{texts.needsName(nameUrl(location))}</p>
      ) : codes.length > 0 ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes([])} />
      ) : (
        <AddPasskey onCodes={setCodes} />
      )}
    </Panel>
  );
}

function Item({ passkey: { id, name, lastUsedAt } }: { passkey: Passkey }) {
  const reads = ['GET /auth/passkeys', 'GET /auth/session', 'GET /auth/sessions'] as const;
  const { send: rename } = useWrite('PATCH /auth/passkeys/{id}', reads);
  const { send: remove } = useWrite('DELETE /auth/passkeys/{id}', reads);
  const [next, setNext] = useState(name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void act(() => rename({ path: { id }, body: { name: next.trim() } }), texts.renamed);
  };
  return (
    <li className="flex flex-wrap items-end gap-2 border-b border-line py-2">
      <form onSubmit={save} className="flex min-w-0 flex-1 items-end gap-2" noValidate>
        <TextField
          label={texts.name}
          hint={
            lastUsedAt === null ? (
              texts.unused
            ) : (
              <>
                {texts.used} <Time at={lastUsedAt} />
              </>
            )
          }
          dir="auto"
          maxLength={100}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        {next.trim() === '' || next === name ? null : (
          <Button type="submit" aria-label={texts.renameOf(name)}>
            {texts.rename}
          </Button>
        )}
      </form>
      <ConfirmedAction
        text={texts.remove}
        label={texts.removeOf(name)}
        title={texts.removeTitle(name)}
        hint={texts.removeHint}
        onConfirm={() => act(() => remove({ path: { id } }), texts.removed)}
      />
    </li>
  );
}

function AddPasskey({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const { user } = useSession();
  const { send, isSending } = useWrite('POST /auth/passkeys', [
    'GET /auth/passkeys',
    'GET /auth/session',
    'GET /auth/sessions',
  ]);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    void act(async () => {
      const body = user.hasPassword ? { password } : {};
      const { options } = await sendFresh('POST /auth/passkeys/options', { body });
      const { recoveryCodes = [] } = await send({
        body: { name: name.trim(), credential: await createPasskey(options) },
      });
      setName('');
      setPassword('');
      onCodes(recoveryCodes);
    }, texts.added);
  };
  return (
    <form onSubmit={add} className="grid gap-3" noValidate>
      <TextField
        label={texts.name}
        placeholder={texts.placeholder}
        dir="auto"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {user.hasPassword ? (
        <TextField
          label={factor.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      ) : null}
      <div>
        <Button type="submit" disabled={isSending || (user.hasPassword && password === '')}>
          {texts.add}
        </Button>
      </div>
    </form>
  );
}
