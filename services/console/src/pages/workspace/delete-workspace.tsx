import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { TextField } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';

const { workspace: texts } = words.team;

/** The button with which an owner deletes the workspace; its name confirms it. */
export function DeleteWorkspace() {
  const { workspace } = useSession();
  const { send } = useWrite('DELETE /auth/workspace');
  const [name, setName] = useState('');
  if (workspace?.role !== 'owner') return null;
  const remove = async () => {
    const isDeleted = await act(() => send({ query: { name } }));
    if (isDeleted) location.assign('/');
    return isDeleted;
  };
  return (
    <ConfirmedAction
      text={texts.remove}
      title={texts.removeTitle(workspace.name)}
      hint={texts.removeHint}
      onConfirm={remove}
    >
      <div className="mb-4">
        <TextField
          label={texts.removeName}
          dir="auto"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
    </ConfirmedAction>
  );
}
