import type { Billing } from '@tidemark/sdk';
import { type FormEvent, useState } from 'react';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { type SubjectNames, useNames } from '../../parts/use-names.ts';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const {
  billing: { limits: texts },
} = words;
type Limit = Billing['limits'][number];

const idOf = ({ keyId, memberId, projectId }: Limit): string => keyId ?? memberId ?? projectId ?? '';
const kindOf = ({ keyId, memberId }: Limit): string =>
  texts.kinds[keyId !== null ? 'key' : memberId !== null ? 'member' : 'project'];

/** What keys, people and projects may spend in a period. */
export function SpendLimits({ limits, canPay }: { limits: readonly Limit[]; canPay: boolean }) {
  const { projects, keys, people } = useNames();
  const { send } = useWrite('PATCH /me/billing/cap', ['GET /me/billing']);
  const names = new Map([...projects, ...keys, ...people]);
  const nameOf = (limit: Limit) => names.get(idOf(limit)) ?? idOf(limit);
  const set = (id: string, credits: number | null, done: string) =>
    act(() => send({ body: { limits: [{ id, credits }] } }), done);
  return (
    <Panel title={texts.title} flush>
      {canPay ? (
        <LimitForm names={{ projects, keys, people }} onSet={(id, credits) => set(id, credits, texts.limitSaved)} />
      ) : null}
      {limits.length === 0 ? (
        <Empty title={texts.none} hint={texts.noneHint} />
      ) : (
        <PlainTable
          label={texts.title}
          titles={[texts.subject, texts.credits, texts.used, ...(canPay ? [texts.actions] : [])]}
          rows={limits}
          keyOf={idOf}
          cells={(limit) => [
            <span key="name">
              <span dir="auto">{nameOf(limit)}</span> <span className="text-muted">({kindOf(limit)})</span>
            </span>,
            number(limit.credits),
            number(limit.used),
            ...(canPay
              ? [
                  <ConfirmedAction
                    key="remove"
                    text={texts.remove}
                    label={texts.removeOf(nameOf(limit))}
                    title={texts.removeOf(nameOf(limit))}
                    hint={texts.noneHint}
                    onConfirm={() => set(idOf(limit), null, texts.removed)}
                  />,
                ]
              : []),
          ]}
        />
      )}
    </Panel>
  );
}

interface FormProps {
  readonly names: SubjectNames;
  readonly onSet: (id: string, credits: number) => Promise<boolean>;
}

function LimitForm({ names: { projects, keys, people }, onSet }: FormProps) {
  const [subject, setSubject] = useState('');
  const [credits, setCredits] = useState('');
  const choicesOf = (of: ReadonlyMap<string, string>, kind: string) =>
    [...of].map(([value, name]) => ({ value, text: `${kind}: ${name}` }));
  const choices = [
    ...choicesOf(projects, texts.kinds.project),
    ...choicesOf(keys, texts.kinds.key),
    ...choicesOf(people, texts.kinds.member),
  ];
  const chosen = choices.some(({ value }) => value === subject) ? subject : (choices[0]?.value ?? '');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSet(chosen, Number(credits))) setCredits('');
  };
  const isValid = /^\d{1,9}$/.test(credits) && chosen !== '';
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="grid max-w-3xl items-end gap-4 px-4 pb-4 sm:grid-cols-3"
      noValidate
    >
      <Select label={texts.subject} value={chosen} choices={choices} onValue={setSubject} />
      <TextField
        label={texts.credits}
        inputMode="numeric"
        value={credits}
        onChange={(event) => setCredits(event.target.value)}
      />
      <div>
        <Button type="submit" disabled={!isValid}>
          {texts.set}
        </Button>
      </div>
    </form>
  );
}
