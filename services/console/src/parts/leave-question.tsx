import { useBlocker } from '@tanstack/react-router';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

const { leave: texts } = words.settings;

interface Props {
  /** Whether something is not saved. */
  readonly isNeeded: boolean;
  readonly onDiscard: () => void;
}

/** Shows a question before another page opens while changes are not saved; the browser shows one before the tab closes. */
export function LeaveQuestion({ isNeeded, onDiscard }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded && current.pathname !== next.pathname,
    enableBeforeUnload: isNeeded,
    withResolver: true,
  });
  const isOpen = blocker.status === 'blocked';
  return (
    <Dialog isOpen={isOpen} onClose={() => blocker.reset?.()} title={texts.title}>
      <p className="mb-4 text-muted">{texts.hint}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          kind="danger"
          onClick={() => {
            onDiscard();
            blocker.proceed?.();
          }}
        >
          {texts.discard}
        </Button>
        <Button onClick={() => blocker.proceed?.()}>{texts.keep}</Button>
        <Button kind="primary" onClick={() => blocker.reset?.()}>
          {texts.stay}
        </Button>
      </div>
    </Dialog>
  );
}
