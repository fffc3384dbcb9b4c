import { endFreshCode } from '../api/fresh-code.ts';
import { Dialog } from '../parts/dialog.tsx';
import { words } from '../words/words.ts';
import { CodeForm } from './code-form.tsx';

/** The dialog that opens when an action requires the second factor again; the action continues afterwards. */
export const FreshCodeDialog = () => (
  <Dialog isOpen onClose={() => endFreshCode(false)} title={words.freshCode}>
    <CodeForm />
  </Dialog>
);
