import { useWrite } from '../api/writes.ts';
import { words } from '../words/words.ts';
import { act } from './act.ts';
import { notify } from './toast.tsx';

const { webhooks: texts } = words;

/** Returns the function that sends a test message to the webhook of a project, and reports the result. */
export function useTestWebhook(): { readonly test: (project: string) => void; readonly isSending: boolean } {
  const { send, isSending } = useWrite('POST /projects/{id}/webhooks/test', [
    'GET /webhooks/deliveries',
    'GET /webhooks',
    'GET /projects/{id}/webhooks',
  ]);
  const test = (project: string) =>
    void act(async () => {
      const { status, lastStatus, lastError } = await send({ path: { id: project }, body: {} });
      if (status === 'delivered') notify(texts.tested(String(lastStatus ?? '')));
      else notify(texts.testFailed(lastError ?? texts.deliveries.statuses[status]), { isBad: true });
    });
  return { test, isSending };
}
