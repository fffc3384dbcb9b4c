import { Link } from '@tanstack/react-router';
import { CircleUser } from 'lucide-react';
import { useId, useRef } from 'react';
import { signOut, useSession } from '../api/session.ts';
import { sentenceOf } from '../parts/states.tsx';
import { notify } from '../parts/toast.tsx';
import { words } from '../words/frame.ts';

const ITEM = 'block w-full rounded-md px-3 py-2 text-start hover:bg-hover';

/** The signed-in person, with links to the account pages. A native popover: Escape and a click outside close it. */
export function AccountMenu() {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const { user, workspace } = useSession();
  const leave = () => void signOut().catch((error: Error) => notify(sentenceOf(error), { isBad: true }));
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={words.accountMenu.menu}
        title={words.accountMenu.menu}
        className="inline-grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <CircleUser aria-hidden size={18} />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="inset-auto end-3 top-12 m-0 w-64 rounded-lg border border-line bg-surface p-1.5 text-ink shadow-lg"
      >
        <div className="border-b border-line px-3 py-2">
          <p dir="auto" className="truncate font-medium">
            {user.name}
          </p>
          <p className="truncate text-xs text-muted">{user.email}</p>
          {workspace === null ? null : <p className="text-xs text-muted">{words.workspace.role[workspace.role]}</p>}
        </div>
        <Link to="/account" className={ITEM} onClick={() => menu.current?.hidePopover()}>
          {words.accountMenu.settings}
        </Link>
        <button type="button" onClick={leave} className={ITEM}>
          {words.accountMenu.signOut}
        </button>
      </div>
    </>
  );
}
