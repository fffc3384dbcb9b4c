import { Copy } from 'lucide-react';
import { words } from '../words/frame.ts';
import { Button } from './button.tsx';
import { notify } from './toast.tsx';

/** Copies a text. */
export function CopyButton({ text, label = words.states.copy }: { text: string; label?: string }) {
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => notify(words.states.copied),
      () => notify(words.states.notCopied, { isBad: true }),
    );
  return (
    <Button onClick={copy}>
      <Copy aria-hidden size={16} />
      {label}
    </Button>
  );
}
