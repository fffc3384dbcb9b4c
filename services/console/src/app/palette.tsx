import { useEffect, useRef } from 'react';
import { words } from '../words/words.ts';
import { PaletteChoices } from './palette-choices.tsx';

/**
 * The palette that Ctrl K opens: finds pages of the console, projects, settings, saved views and actions by a part of their names, and pages of the
 * open project by their content.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog
      ref={ref}
      aria-label={words.palette.title}
      onClose={onClose}
      className="mx-auto mt-[12vh] mb-auto w-[min(40rem,calc(100vw-2rem))] overflow-hidden rounded-xl border border-line bg-surface p-0 shadow-xl"
    >
      <PaletteChoices onDone={onClose} />
    </dialog>
  );
}
