import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from '../domain/new-secret.ts';

/** What is signed: the body as it is sent, under the delivery's id, at the time of the attempt. */
export interface Signable {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** The sender, as receivers see it. */
export const WEBHOOK_USER_AGENT = 'Tidemark-Webhook/1.0';

/**
 * The headers of a webhook: our own, and those of Standard Webhooks 1.0, which every secret that verifies today has signed.
 * @param secrets what it is signed with, the newest first
 * @param signedBy which of them X-Service-Signature is by: the newest, unless the receiver knows only the one before
 */
export function webhookHeaders(
  { id, event, body }: Signable,
  secrets: readonly string[],
  { signedBy = secrets[0] ?? '', now }: { readonly signedBy?: string | undefined; readonly now: Date },
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now.getTime() / 1_000).toString();
  return {
    'content-type': 'application/json',
    'user-agent': WEBHOOK_USER_AGENT,
    'x-service-event': event,
    'x-service-delivery': id,
    'x-service-signature': `sha256=${createHmac('sha256', signedBy).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardSignature(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

/** Standard Webhooks signs with the bytes behind the prefix, our own header with the secret as it is shown. */
function standardSignature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
