import type { Members } from '@tidemark/sdk';
import { useState } from 'react';
import { refresh } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { CheckField, Select } from '../../parts/field.tsx';
import { Time } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';

const { members: texts } = words.team;
const { columns: titles } = texts;
const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;

type Member = Members['data'][number];

/** The people of the workspace. Only an owner makes or removes owners; the last owner stays. */
export function MemberTable({ members }: { members: readonly Member[] }) {
  const { user, workspace } = useSession();
  const isOwner = workspace?.role === 'owner';
  const owners = members.filter(({ role }) => role === 'owner').length;
  const isLast = ({ role }: Member) => role === 'owner' && owners === 1;
  const columns: readonly Column<Member>[] = [
    {
      key: 'person',
      title: titles.person,
      cell: ({ id, name, email, emailVerified }) => (
        <>
          <span dir="auto" className="block truncate font-medium" title={name}>
            {name}
            {id === user.id ? <span className="font-normal text-muted"> ({texts.you})</span> : null}
          </span>
          <span className="block truncate text-xs text-muted" title={email}>
            {email}
            {emailVerified ? null : ` · ${texts.unverified}`}
          </span>
        </>
      ),
    },
    {
      key: 'role',
      title: titles.role,
      width: 130,
      cell: (member) => (
        <RoleSelect
          member={member}
          isFixed={isLast(member) || (member.role === 'owner' && !isOwner)}
          isOwner={isOwner}
        />
      ),
    },
    {
      key: 'factor',
      title: titles.factor,
      width: 120,
      wideOnly: true,
      cell: ({ twoFactor }) => (
        <Badge tone={twoFactor ? 'good' : 'idle'}>{twoFactor ? texts.factor.on : texts.factor.off}</Badge>
      ),
    },
    {
      key: 'seen',
      title: titles.seen,
      width: 140,
      wideOnly: true,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    },
    {
      key: 'actions',
      title: <span className="sr-only">{titles.actions}</span>,
      width: 110,
      align: 'end',
      cell: (member) =>
        isLast(member) || (member.role === 'owner' && !isOwner) ? null : (
          <Remove member={member} isSelf={member.id === user.id} />
        ),
    },
  ];
  return (
    <>
      <VirtualTable label={texts.people} columns={columns} rows={members} keyOf={({ id }) => id} />
      {owners === 1 ? <p className="border-t border-line px-4 py-2 text-xs text-muted">{texts.lastOwner}</p> : null}
    </>
  );
}

function RoleSelect({ member, isFixed, isOwner }: { member: Member; isFixed: boolean; isOwner: boolean }) {
  const { id, name, role } = member;
  const { send, isSending } = useWrite('PATCH /auth/members/{user}', ['GET /auth/members', 'GET /auth/session']);
  const change = (next: Member['role']) =>
    void act(
      () => send({ path: { user: id }, body: { role: next } }),
      texts.changed(name, words.workspace.role[next]),
      () =>
        void act(() => send({ path: { user: id }, body: { role } }), texts.changed(name, words.workspace.role[role])),
    );
  if (isFixed) return words.workspace.role[role];
  const offered = ROLES.filter((one) => one !== 'owner' || isOwner);
  return (
    <Select
      label={texts.roleOf(name)}
      hideLabel
      value={role}
      disabled={isSending}
      onValue={change}
      choices={offered.map((value) => ({ value, text: words.workspace.role[value] }))}
    />
  );
}

function Remove({ member: { id, name }, isSelf }: { member: Member; isSelf: boolean }) {
  const { send } = useWrite('DELETE /auth/members/{user}', ['GET /auth/members', 'GET /me/keys']);
  const [keys, setKeys] = useState(false);
  const remove = async () => {
    const query = keys ? ({ revoke_keys: 'true' } as const) : {};
    const isDone = await act(() => send({ path: { user: id }, query }), texts.removed(name));
    if (isDone && isSelf) await refresh('GET /auth/session');
    return isDone;
  };
  return (
    <ConfirmedAction
      text={isSelf ? texts.leave : texts.remove}
      label={isSelf ? texts.leaveOf : texts.removeOf(name)}
      title={isSelf ? texts.leaveTitle : texts.removeTitle(name)}
      hint={isSelf ? texts.leaveHint : texts.removeHint}
      onConfirm={remove}
    >
      <div className="mb-4 text-start">
        <CheckField label={texts.removeKeys} checked={keys} onChange={(event) => setKeys(event.target.checked)} />
      </div>
    </ConfirmedAction>
  );
}
