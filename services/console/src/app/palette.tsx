import { lazy, Suspense, useEffect, useRef } from 'react';
import { Loading } from '../parts/states.tsx';
import { words } from '../words/frame.ts';

const Choices = lazy(async () => ({ default: (await import('./palette-choices.tsx')).PaletteChoices }));

/** The palette that Ctrl K opens: finds pages, projects, settings, saved views and actions by a part of their names, and pages of the open project by their content. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open === isOpen) return;
    if (isOpen) dialog.showModal();
    else dialog.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-label={words.palette.title}
      onClose={onClose}
      className="mx-auto mt-[12vh] mb-auto w-[min(40rem,calc(100vw-2rem))] overflow-hidden rounded-xl border border-line bg-surface p-0 shadow-xl"
    >
      {isOpen ? (
        <Suspense fallback={<Loading />}>
          <Choices onDone={onClose} />
        </Suspense>
      ) : null}
    </dialog>
  );
}
