import { Link, Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useIsCodeNeeded } from '../api/fresh-code.ts';
import { useSession } from '../api/session.ts';
import { IconButton } from '../parts/button.tsx';
import { Toasts } from '../parts/toast.tsx';
import { words } from '../words/frame.ts';
import { Offline } from './offline.tsx';
import { PastDue } from './past-due.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { usePageFocus } from './use-page-focus.ts';

/** The dialogs are no part of the first view. */
const FreshCodeDialog = lazy(async () => ({ default: (await import('./fresh-code-dialog.tsx')).FreshCodeDialog }));
const loadPalette = async () => ({ default: (await import('./palette.tsx')).Palette });
const Palette = lazy(loadPalette);

/** Why most actions are refused for this session, with the page that ends it. */
function Blocked() {
  const { blocked } = useSession();
  if (blocked === null) return null;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 bg-warn-tint px-5 py-2 text-ink">
      {words.blocked[blocked]}
      <Link to="/account" className="underline">
        {words.blocked.act[blocked]}
      </Link>
    </p>
  );
}

/** The sidebar on narrow windows. It closes when another page opens. */
function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer, a new callback does not
  useEffect(() => onClose(), [pathname]);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open === isOpen) return;
    if (isOpen) dialog.showModal();
    else dialog.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-label={words.menu}
      onClose={onClose}
      className="m-0 h-dvh max-h-none w-64 border-e border-line bg-surface p-0 md:hidden"
    >
      <span className="absolute end-2 top-2">
        <IconButton label={words.close} onClick={onClose}>
          <X aria-hidden size={18} />
        </IconButton>
      </span>
      {isOpen ? <Sidebar /> : null}
    </dialog>
  );
}

const preparePalette = (): void => void loadPalette().catch(() => undefined);

/** Opens the palette by Ctrl K or Command K. */
function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // The first key of the shortcut: what is typed right after it shall not be lost.
      if (event.key === 'Control' || event.key === 'Meta') preparePalette();
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);
}

/** The frame of every page. */
export function Shell() {
  const isWhole = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isWhole === true) });
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [openPalette] = useState(() => () => setPaletteOpen(true));
  usePaletteKey(openPalette);
  const isCodeNeeded = useIsCodeNeeded();
  usePageFocus();
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14rem_minmax(0,1fr)]">
      <a href="#content" className="sr-only z-50 bg-surface p-3 focus:not-sr-only focus:absolute">
        {words.skip}
      </a>
      <aside className="sticky top-0 hidden h-dvh border-e border-line md:block">
        <Sidebar />
      </aside>
      <div className={`min-w-0 ${isWhole ? 'flex h-dvh min-h-[30rem] flex-col' : ''}`}>
        <TopBar onMenu={() => setMenuOpen(true)} onPalette={openPalette} preparePalette={preparePalette} />
        <Blocked />
        <Offline />
        <PastDue />
        <main
          id="content"
          tabIndex={-1}
          className={isWhole ? 'flex min-h-0 flex-1 flex-col outline-none' : 'px-4 py-4 outline-none md:px-6 md:py-5'}
        >
          <Outlet />
        </main>
      </div>
      <Drawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      {isPaletteOpen ? (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      ) : null}
      {isCodeNeeded ? (
        <Suspense>
          <FreshCodeDialog />
        </Suspense>
      ) : null}
      <Toasts />
    </div>
  );
}
