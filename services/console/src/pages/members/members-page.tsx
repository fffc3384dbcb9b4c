import type { Invite, Members } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { SecretBox } from '../../parts/secret-box.tsx';
import { Allowed, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words/words.ts';
import { MemberTable } from './member-table.tsx';

const { members: texts } = words.team;
const INVITED_ROLES = (['viewer', 'member', 'admin'] as const).map((value) => ({ value, text: texts.roles[value] }));

/** People of the workspace: roles, invitations, removal. */
export function MembersPage() {
  return (
    <>
      <PageHead title={texts.title} />
      <Allowed scope="admin">
        <People />
      </Allowed>
    </>
  );
}

function People() {
  const all = useRead('GET /auth/members', {});
  return (
    <>
      <InviteForm />
      <Panel title={texts.people} flush className="mb-4">
        <Loaded of={all}>{({ data }) => <MemberTable members={data} />}</Loaded>
      </Panel>
      {all.data === undefined || all.data.invites.length === 0 ? null : <Invites invites={all.data.invites} />}
    </>
  );
}

function InviteForm() {
  const { send, isSending } = useWrite('POST /auth/invites', ['GET /auth/members']);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'viewer' | 'member' | 'admin'>('member');
  const [made, setMade] = useState<Invite>();
  const invite = async (event: FormEvent) => {
    event.preventDefault();
    const address = email.trim();
    if (await act(async () => setMade(await send({ body: { email: address, role } })), texts.invited(address)))
      setEmail('');
  };
  return (
    <>
      {made?.link === undefined ? null : (
        <SecretBox
          title={texts.link(made.email)}
          hint={texts.linkHint}
          secret={made.link}
          onDone={() => setMade(undefined)}
        />
      )}
      <Panel title={texts.invite} className="mb-4">
        <form onSubmit={(event) => void invite(event)} className="grid items-end gap-4 sm:grid-cols-3" noValidate>
          <TextField
            label={texts.email}
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Select label={texts.role} value={role} choices={INVITED_ROLES} onValue={setRole} />
          <div>
            <Button kind="primary" type="submit" disabled={isSending || email.trim() === ''}>
              {texts.submit}
            </Button>
          </div>
        </form>
      </Panel>
    </>
  );
}

function Invites({ invites }: { invites: Members['invites'] }) {
  const { send: revoke } = useWrite('DELETE /auth/invites/{id}', ['GET /auth/members']);
  const withdraw = (id: string, email: string) => void act(() => revoke({ path: { id } }), texts.revoked(email));
  return (
    <Panel title={texts.invites} flush>
      <PlainTable
        label={texts.invites}
        titles={[texts.email, texts.role, texts.expires, texts.columns.actions]}
        rows={invites}
        keyOf={({ id }) => id}
        cells={({ id, email, role, expiresAt }) => [
          email,
          words.workspace.role[role],
          <Time key="expires" at={expiresAt} />,
          <Button key="withdraw" aria-label={texts.revokeOf(email)} onClick={() => withdraw(id, email)}>
            {texts.revoke}
          </Button>,
        ]}
      />
    </Panel>
  );
}
