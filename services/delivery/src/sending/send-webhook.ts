import type { Send } from '../domain/delivery.ts';
import type { Post } from './post-message.ts';
import { webhookHeaders } from './sign-message.ts';

/** How a receiver that does not know the new secret yet refuses a signature. */
const REFUSED_SIGNATURE = new Set([400, 401, 403]);

/**
 * Sends a signed message. In the day after a rotation a receiver that refuses the new secret's signature is asked again at once with
 * the one before, and that answer counts: one header has room for one signature.
 */
export function makeSendWebhook(post: Post, now: () => Date): Send {
  return async (message) => {
    const { url, body, lane, secrets } = message;
    const at = now();
    const postSignedBy = (signedBy: string | undefined) =>
      post({ url, body, lane, headers: webhookHeaders(message, secrets, { signedBy, now: at }) });
    const outcome = await postSignedBy(secrets[0]);
    const before = secrets[1];
    return before !== undefined && REFUSED_SIGNATURE.has(outcome.status) ? postSignedBy(before) : outcome;
  };
}
