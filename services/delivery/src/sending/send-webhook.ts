import type { Send } from '../domain/delivery.ts';
import type { Post } from '../http/post-message.ts';
import { webhookHeaders } from './sign-message.ts';

/** Statuses with which a receiver that still uses an old secret refuses a signature. */
const REFUSED_SIGNATURE = new Set([400, 401, 403]);
/** No further secret is tried after this, ms, so that an attempt stays below its timeout. */
const RETRY_WITHIN_MS = 20_000;

/**
 * Sends a signed message. In the day after a rotation, a message whose signature is refused is sent again at once with each previous secret
 * in turn, and the last response counts: X-Service-Signature holds a single signature.
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
