import { type ReactNode, useState } from 'react';
import { words } from '../words/frame.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  /** Text of the button, also of the one in the dialog. */
  readonly text: string;
  /** Name for people who do not see the row of the button. */
  readonly label?: string;
  readonly title: string;
  readonly hint: string;
  /** @returns whether it succeeded; the dialog then closes */
  readonly onConfirm: () => Promise<boolean>;
  readonly children?: ReactNode;
}

/** A button of an action that can not be undone: a dialog names what happens first. */
export function ConfirmedAction({ text, label, title, hint, onConfirm, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const confirm = async () => {
    setSending(true);
    if (await onConfirm()) setOpen(false);
    setSending(false);
  };
  return (
    <>
      <Button kind="danger" aria-label={label} onClick={() => setOpen(true)}>
        {text}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={title}>
        <p className="anywhere mb-4 whitespace-normal text-muted">{hint}</p>
        {children}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>{words.states.cancel}</Button>
          <Button kind="danger" disabled={isSending} onClick={() => void confirm()}>
            {text}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
