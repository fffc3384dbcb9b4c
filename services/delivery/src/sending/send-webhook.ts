import type { Send } from '../domain/delivery.ts';
import type { Post } from '../http/post-message.ts';
import { webhookHeaders } from './sign-message.ts';

/** How a receiver that does not know the new secret yet refuses a signature. */
const REFUSED_SIGNATURE = new Set([400, 401, 403]);
/** Nothing more is begun after this, so that an attempt stays well within its time. */
const RETRY_WITHIN_MS = 20_000;

/**
 * Sends a signed message. In the day after a rotation a receiver that refuses the new secret's signature is asked again at once with
 * those before it in turn, and the last answer counts: our own header has room for one signature.
 */
export function makeSendWebhook(post: Post, now: () => Date): Send {
  return async (message) => {
    const { url, body, queueKey, secrets } = message;
    const [at, beganAt] = [now(), performance.now()];
    const postSignedBy = (signedBy: string | undefined) =>
      post({ url, body, queueKey, headers: webhookHeaders(message, secrets, { signedBy, now: at }) });
    let result = await postSignedBy(secrets[0]);
    for (const before of secrets.slice(1)) {
      const isLate = performance.now() - beganAt > RETRY_WITHIN_MS;
      if (isLate || !REFUSED_SIGNATURE.has(result.status)) break;
      result = await postSignedBy(before);
    }
    return result;
  };
}
