import { Link } from '@tanstack/react-router';
import type { Child } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useCan, useSession } from '../../api/session.ts';
import { useMore } from '../../api/use-more.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Allowed, Empty, Loaded } from '../../parts/states.tsx';
import { SuspendButton } from '../../parts/suspend-button.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { children: texts } = words;
const { columns: titles } = texts;

/** Workspaces that spend the credits of this one. */
export function ChildrenPage() {
  const { workspace } = useSession();
  return typeof workspace?.parentId === 'string' ? (
    <>
      <PageHead title={texts.title} />
      <Panel>
        <Empty title={texts.ofSub} hint={texts.ofSubHint} />
      </Panel>
    </>
  ) : (
    <Children />
  );
}

function Children() {
  const list = useList('GET /orgs/children', { query: { limit: 200 } });
  const more = useMore(list);
  const canAdmin = useCan('admin');
  const first = list.data?.pages[0];
  return (
    <>
      <PageHead
        title={texts.title}
        note={first === undefined ? undefined : texts.used(number(first.used), number(first.limit))}
      />
      <p className="mb-4 text-muted">{texts.intro}</p>
      <Panel title={texts.create} className="mb-4">
        <Allowed scope="admin">
          <CreateForm />
        </Allowed>
      </Panel>
      <Panel flush>
        <Loaded of={list}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <VirtualTable
                label={texts.title}
                columns={canAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
                rows={rows}
                keyOf={({ id }) => id}
                onEnd={more}
              />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}

function CreateForm() {
  const { send, isSending } = useWrite('POST /orgs/children', ['GET /orgs/children']);
  const [name, setName] = useState('');
  const [cap, setCap] = useState('');
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim(), ...(cap === '' ? {} : { cap: Number(cap) }) };
    if (!(await act(() => send({ body }), texts.created(body.name)))) return;
    setName('');
    setCap('');
  };
  return (
    <form onSubmit={(event) => void create(event)} className="grid items-start gap-4 sm:grid-cols-3" noValidate>
      <TextField
        label={texts.name}
        dir="auto"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={texts.cap}
        hint={texts.capHint}
        type="number"
        min={1}
        value={cap}
        onChange={(event) => setCap(event.target.value)}
      />
      <div className="sm:pt-7">
        <Button kind="primary" type="submit" disabled={isSending || name.trim() === ''}>
          {texts.submit}
        </Button>
      </div>
    </form>
  );
}

const COLUMNS: readonly Column<Child>[] = [
  {
    key: 'name',
    title: titles.name,
    cell: ({ id, name }) => (
      <Link to="/children/$child" params={{ child: id }} className="block hover:underline">
        <span dir="auto" className="block truncate font-medium" title={name}>
          {name}
        </span>
        <span className="block truncate font-mono text-xs text-muted">{id}</span>
      </Link>
    ),
  },
  {
    key: 'state',
    title: titles.state,
    width: 120,
    cell: ({ suspended }) => (
      <Badge tone={suspended ? 'warn' : 'good'}>{suspended ? texts.states.suspended : texts.states.active}</Badge>
    ),
  },
  {
    key: 'spent',
    title: titles.spent,
    width: 120,
    align: 'end',
    wideOnly: true,
    cell: ({ spend }) => number(spend.month),
  },
  {
    key: 'cap',
    title: titles.cap,
    width: 120,
    align: 'end',
    wideOnly: true,
    cell: ({ cap }) => (cap === 0 ? texts.noCap : number(cap)),
  },
];

const ACTIONS: Column<Child> = {
  key: 'actions',
  title: <span className="sr-only">{titles.actions}</span>,
  width: 120,
  align: 'end',
  cell: (child) => <SuspendButton child={child} />,
};
