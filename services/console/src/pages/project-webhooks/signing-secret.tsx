import type { Webhook } from '@tidemark/sdk';
import { useState } from 'react';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmedAction } from '../../parts/confirmed-action.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { words } from '../../words/words.ts';

const { project: texts } = words.webhooks;

/** The secret that signs messages: hidden until shown; an admin rotates it. */
export function SigningSecret({ webhook: { secret, secretHidden }, project }: { webhook: Webhook; project: string }) {
  const canAdmin = useCan('admin');
  const [isShown, setShown] = useState(false);
  const { send } = useWrite('POST /projects/{id}/webhooks/secret', ['GET /projects/{id}/webhooks']);
  if (secretHidden || secret === null)
    return (
      <p className="text-muted">
        {texts.secret}: {texts.hidden}
      </p>
    );
  return (
    <div>
      <h2 className="mb-1 text-xs text-muted">{texts.secret}</h2>
      <div className="flex flex-wrap items-center gap-2">
        <code dir="ltr" className="anywhere min-w-0 font-mono">
          {isShown ? secret : '•'.repeat(24)}
        </code>
        <Button aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? texts.hide : texts.show}
        </Button>
        <CopyButton text={secret} />
        {canAdmin ? (
          <ConfirmedAction
            text={texts.rotate}
            title={texts.rotateTitle}
            hint={texts.rotateHint}
            onConfirm={() => act(() => send({ path: { id: project }, body: {} }), texts.rotated)}
          />
        ) : null}
      </div>
    </div>
  );
}
