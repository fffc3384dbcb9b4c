import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { Claimed } from '../store/claims.ts';

/**
 * Returns why a project's message is not sent any more; undefined: it is sent. A message stays at the address it was queued for when its
 * project's address changes, and ends when the address is removed.
 */
export function reasonNotToSend(
  channels: Channels | undefined,
  { kind, recipient }: Pick<Claimed, 'kind' | 'recipient'>,
): string | undefined {
  if (channels === undefined) return 'the project was deleted';
  if (kind === 'mail')
    return channels.notifyEmails.includes(recipient) ? undefined : 'the address is no longer in notify_emails';
  const url = kind === 'webhook' ? channels.webhookUrl : channels.chatUrl;
  return url === undefined ? `the project no longer has a ${kind}` : undefined;
}
