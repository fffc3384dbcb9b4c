import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { words } from '../words/frame.ts';
import { IconButton } from './button.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A native modal dialog: the browser keeps the focus inside, closes it by Escape and returns the focus. */
export function Dialog({ isOpen, onClose, title, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open === isOpen) return;
    if (isOpen) dialog.showModal();
    else dialog.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      className="m-auto w-[min(36rem,calc(100vw-2rem))] rounded-xl border border-line bg-surface p-0 shadow-xl"
    >
      {isOpen ? (
        <div className="p-5">
          <div className="mb-3 flex items-start justify-between gap-3">
            <h2 id={id} className="anywhere text-lg font-semibold">
              {title}
            </h2>
            <IconButton label={words.close} onClick={onClose}>
              <X aria-hidden size={18} />
            </IconButton>
          </div>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}
