import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from '../domain/new-secret.ts';

/** Input of a signature: the body as sent, the delivery's id and its event. */
export interface Signable {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** User-Agent of webhooks. */
export const WEBHOOK_USER_AGENT = 'Tidemark-Webhook/1.0';

/**
 * Builds the headers of a webhook: the X-Service headers, and those of Standard Webhooks 1.0, signed with every secret that verifies today.
 * @param secrets signing secrets, newest first
 * @param signedBy the secret of X-Service-Signature; by default the newest
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

/** Signs as Standard Webhooks does: with the decoded bytes after the prefix, where X-Service-Signature uses the whole secret. */
function standardSignature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
