import { useWrite } from '../api/writes.ts';
import { words } from '../words/words.ts';
import { act } from './act.ts';
import { Button } from './button.tsx';

const { children: texts } = words;

interface Props {
  readonly child: { readonly id: string; readonly name: string; readonly suspended: boolean };
}

/** Suspends a sub-account or lifts its suspension; each takes the other back. */
export function SuspendButton({ child: { id, name, suspended } }: Props) {
  const { send, isSending } = useWrite('PATCH /orgs/children/{child_id}', [
    'GET /orgs/children',
    'GET /orgs/children/{child_id}',
  ]);
  const set = (next: boolean, undo?: () => void) =>
    void act(
      () => send({ path: { child_id: id }, body: { suspended: next } }),
      next ? texts.suspended(name) : texts.lifted(name),
      undo,
    );
  return (
    <Button
      kind={suspended ? 'plain' : 'danger'}
      disabled={isSending}
      aria-label={suspended ? texts.liftOf(name) : texts.suspendOf(name)}
      onClick={() => set(!suspended, () => set(suspended))}
    >
      {suspended ? texts.lift : texts.suspend}
    </Button>
  );
}
