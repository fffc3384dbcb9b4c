import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { isPayable, sentenceOf } from './states.tsx';
import { notify } from './toast.tsx';

interface Props {
  readonly label: string;
  readonly question: string;
  readonly confirm: string;
  readonly act: () => Promise<void>;
}

/** A deletion that a dialog confirms. */
export function ConfirmButton({ label, question, confirm, act }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  const run = () => {
    setSending(true);
    act()
      .catch((error: Error) => notify(sentenceOf(error), { isBad: true, isPayable: isPayable(error) }))
      .finally(() => {
        setSending(false);
        setOpen(false);
      });
  };
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={16} />
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={label}>
        <p className="anywhere mb-4">{question}</p>
        <Button kind="danger" disabled={isSending} onClick={run}>
          {confirm}
        </Button>
      </Dialog>
    </>
  );
}
