import { type FormEvent, type ReactNode, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';

const { workspace: texts } = words.team;

interface RowProps {
  readonly children: ReactNode;
  readonly isDisabled: boolean;
  readonly onSave: () => void;
  readonly label: string;
}

/** A field with the button that saves it. */
function Row({ children, isDisabled, onSave, label }: RowProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2" noValidate>
      {children}
      <div className="pt-7">
        <Button type="submit" disabled={isDisabled} aria-label={`${words.states.save}: ${label}`}>
          {words.states.save}
        </Button>
      </div>
    </form>
  );
}

export function Rename({ name }: { name: string }) {
  const { send, isSending } = useWrite('PATCH /auth/workspace', ['GET /me', 'GET /auth/session']);
  const [next, setNext] = useState(name);
  const save = (to: string, undo?: () => void) => void act(() => send({ body: { name: to } }), texts.renamed, undo);
  return (
    <Row
      label={texts.name}
      isDisabled={isSending || next.trim() === '' || next === name}
      onSave={() => save(next.trim(), () => save(name))}
    >
      <TextField
        label={texts.name}
        dir="auto"
        maxLength={100}
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
    </Row>
  );
}

export function RateLimit({ max }: { max: number | null }) {
  const { send, isSending } = useWrite('PATCH /me', ['GET /me']);
  const before = max === null ? '' : String(max);
  const [next, setNext] = useState(before);
  const save = (to: string, undo?: () => void) =>
    void act(() => send({ body: { max_rpm: to === '' ? null : Number(to) } }), texts.rpmSaved, undo);
  return (
    <Row label={texts.rpm} isDisabled={isSending || next === before} onSave={() => save(next, () => save(before))}>
      <TextField
        label={texts.rpm}
        hint={texts.rpmHint}
        type="number"
        min={1}
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
    </Row>
  );
}

export function FactorRule({ isRequired }: { isRequired: boolean }) {
  const { user, workspace } = useSession();
  const { send, isSending } = useWrite('PATCH /me', ['GET /me', 'GET /auth/session']);
  const change = (require_second_factor: boolean) =>
    void act(() => send({ body: { require_second_factor } }), require_second_factor ? texts.factorOn : texts.factorOff);
  return (
    <CheckField
      label={texts.factor}
      hint={texts.factorHint}
      checked={isRequired}
      disabled={isSending || workspace?.role !== 'owner' || !user.twoFactor.on}
      onChange={(event) => change(event.target.checked)}
    />
  );
}
