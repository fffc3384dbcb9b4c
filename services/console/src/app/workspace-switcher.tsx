import { ChevronsUpDown } from 'lucide-react';
import { switchWorkspace, useSession } from '../api/session.ts';
import { notify } from '../parts/toast.tsx';
import { words } from '../words/frame.ts';

/** A square with the first letter of a name. */
const Initial = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="grid size-6 shrink-0 place-items-center rounded bg-accent-tint text-xs font-semibold text-accent uppercase"
  >
    {[...name][0]}
  </span>
);

/** The workspace of the session; a menu where the person belongs to several. */
export function WorkspaceSwitcher() {
  const { workspace, workspaces } = useSession();
  const name = workspace?.name ?? words.workspace.none;
  const shown = (
    <>
      <Initial name={name} />
      <span dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium" title={name}>
        {name}
      </span>
    </>
  );
  if (workspaces.length < 2) return <p className="flex shrink-0 items-center gap-2 px-1">{shown}</p>;
  const change = (id: string) => void switchWorkspace(id).catch(() => notify(words.workspace.failed, { isBad: true }));
  // The native select lies over the name, so that its menu, keys and screen readers work as everywhere.
  return (
    <div className="relative flex shrink-0 items-center gap-2 rounded-md px-1 py-1 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent">
      {shown}
      <ChevronsUpDown aria-hidden size={14} className="text-muted" />
      <select
        aria-label={words.workspace.switch}
        value={workspace?.id ?? ''}
        onChange={(event) => change(event.target.value)}
        className="absolute inset-0 cursor-pointer bg-surface text-ink opacity-0"
      >
        {workspace === null ? <option value="">{words.workspace.none}</option> : null}
        {workspaces.map(({ id, name: text }) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
