import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { words } from '../../words/words.ts';

const { factor: texts } = words.account;

/** Recovery codes, shown once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div role="status" className="rounded-lg border border-accent p-4">
      <h3 className="font-semibold">{texts.codes}</h3>
      <p className="mb-3 text-muted">{texts.codesHint}</p>
      <ul dir="ltr" className="mb-3 grid gap-x-6 gap-y-1 font-mono sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code} className="anywhere">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={codes.join('\n')} />
        <Button kind="primary" onClick={onDone}>
          {texts.kept}
        </Button>
      </div>
    </div>
  );
}
