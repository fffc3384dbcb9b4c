import { switchWorkspace, useSession } from '../api/session.ts';
import { Select } from '../parts/field.tsx';
import { notify } from '../parts/toast.tsx';
import { words } from '../words/frame.ts';

/** The workspace of the session; a select where the person belongs to several. */
export function WorkspaceSwitcher() {
  const { workspace, workspaces } = useSession();
  const name = workspace?.name ?? words.workspace.none;
  if (workspaces.length < 2)
    return (
      <p dir="auto" className="shrink-0 truncate rounded-md border border-line px-2 py-1.5" title={name}>
        {name}
      </p>
    );
  const change = (id: string) => void switchWorkspace(id).catch(() => notify(words.workspace.failed, { isBad: true }));
  const missing = workspace === null ? [{ value: '', text: words.workspace.none }] : [];
  return (
    <Select
      label={words.workspace.switch}
      hideLabel
      value={workspace?.id ?? ''}
      onValue={change}
      choices={[...missing, ...workspaces.map(({ id, name: text }) => ({ value: id, text }))]}
    />
  );
}
