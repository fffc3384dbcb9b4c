import { words } from '../words/frame.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface Props {
  readonly title: string;
  readonly hint: string;
  readonly secret: string;
  readonly onDone: () => void;
}

/** A secret that is shown once, with a button that copies it. */
export function SecretBox({ title, hint, secret, onDone }: Props) {
  return (
    <div role="status" className="mb-4 rounded-lg border border-accent bg-surface p-4">
      <p className="font-semibold">{title}</p>
      <p className="mb-3 text-muted">{hint}</p>
      <div className="flex flex-wrap items-center gap-2">
        <code dir="ltr" className="anywhere min-w-0 flex-1 rounded-md bg-hover px-3 py-2 font-mono">
          {secret}
        </code>
        <CopyButton text={secret} />
        <Button onClick={onDone}>{words.states.done}</Button>
      </div>
    </div>
  );
}
