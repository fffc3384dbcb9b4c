import { useParams } from '@tanstack/react-router';
import type { ChildDetail } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Charges } from '../../parts/charges.tsx';
import { Details } from '../../parts/details.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { SuspendButton } from '../../parts/suspend-button.tsx';
import { day, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ChildKeys } from './child-keys.tsx';
import { Actors } from './child-month.tsx';

const { children: texts, usage } = words;
const { detail } = texts;

/** A sub-account: its cap, its month, its keys, and the keys and people that acted in it. */
export function ChildPage() {
  const { child: id } = useParams({ from: '/children/$child' });
  const child = useRead('GET /orgs/children/{child_id}', { path: { child_id: id } });
  const canAdmin = useCan('admin');
  return (
    <Loaded of={child} isPage>
      {(data) => (
        <>
          <PageHead
            title={data.name}
            note={
              <Badge tone={data.suspended ? 'warn' : 'good'}>
                {data.suspended ? texts.states.suspended : texts.states.active}
              </Badge>
            }
            actions={canAdmin ? <SuspendButton child={data} /> : undefined}
          />
          <Month child={data} />
          {canAdmin ? (
            <>
              <Panel title={detail.settings} className="mb-4">
                <Settings key={`${data.name} ${data.cap}`} child={data} />
              </Panel>
              <ChildKeys child={id} />
            </>
          ) : null}
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Charges charges={data.charges} />
            <Actors actors={data.actors} />
          </div>
        </>
      )}
    </Loaded>
  );
}

function Month({ child: { spend, cap, period, byKind } }: { child: ChildDetail }) {
  const of = `${texts.columns.spent}, ${detail.month(day(period.start), day(period.end))}`;
  return (
    <Details
      items={[
        [of, number(spend.month)],
        [texts.columns.cap, cap === 0 ? texts.noCap : number(cap)],
        ...(spend.left === null ? [] : [[detail.left, number(spend.left)] as const]),
        ...byKind.map(({ kind, credits }) => [usage.kinds[kind], number(credits)] as const),
      ]}
    />
  );
}

function Settings({ child: { id, name, cap } }: { child: ChildDetail }) {
  const { send, isSending } = useWrite('PATCH /orgs/children/{child_id}', [
    'GET /orgs/children',
    'GET /orgs/children/{child_id}',
  ]);
  const before = { name, cap: cap === 0 ? '' : String(cap) };
  const [draft, setDraft] = useState(before);
  const isChanged = draft.name !== before.name || draft.cap !== before.cap;
  const save = (next: typeof before, undo?: () => void) =>
    void act(
      () =>
        send({ path: { child_id: id }, body: { name: next.name.trim(), cap: next.cap === '' ? 0 : Number(next.cap) } }),
      detail.renamed,
      undo,
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(draft, () => save(before));
  };
  return (
    <form onSubmit={submit} className="grid items-start gap-4 sm:grid-cols-3" noValidate>
      <TextField
        label={texts.name}
        dir="auto"
        maxLength={100}
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <TextField
        label={texts.cap}
        hint={texts.capHint}
        type="number"
        min={1}
        value={draft.cap}
        onChange={(event) => setDraft({ ...draft, cap: event.target.value })}
      />
      <div className="sm:pt-7">
        <Button type="submit" disabled={isSending || !isChanged || draft.name.trim() === ''}>
          {words.states.save}
        </Button>
      </div>
    </form>
  );
}
