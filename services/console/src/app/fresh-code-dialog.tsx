import { lazy, Suspense } from 'react';
import { endFreshCode, useIsCodeNeeded } from '../api/fresh-code.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loading } from '../parts/states.tsx';
import { words } from '../words/frame.ts';

const CodeForm = lazy(async () => ({ default: (await import('./code-form.tsx')).CodeForm }));

/** The dialog that opens when an action requires the second factor again; the action continues afterwards. */
export function FreshCodeDialog() {
  const isOpen = useIsCodeNeeded();
  return (
    <Dialog isOpen={isOpen} onClose={() => endFreshCode(false)} title={words.freshCode}>
      <Suspense fallback={<Loading />}>
        <CodeForm />
      </Suspense>
    </Dialog>
  );
}
