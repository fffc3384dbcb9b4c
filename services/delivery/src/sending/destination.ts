import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { Claimed } from '../store/claims.ts';

/** Address a message is sent to, or the reason why it is not sent. */
export type Destination = { readonly url: string } | { readonly gone: string };

/** Returns the current destination of a project's message: its address may have changed or been removed since it was queued. */
export function destinationOf(
  channels: Channels | undefined,
  { kind, recipient }: Claimed,
  knownUrl: string,
): Destination {
  if (channels === undefined) return { gone: 'the project was deleted' };
  if (kind === 'mail')
    return channels.notifyEmails.includes(recipient)
      ? { url: knownUrl }
      : { gone: 'the address is no longer in notify_emails' };
  const url = kind === 'webhook' ? channels.webhookUrl : channels.chatUrl;
  return url === '' ? { gone: `the project no longer has a ${kind}` } : { url };
}
