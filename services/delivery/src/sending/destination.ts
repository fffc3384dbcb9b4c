import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import type { Claimed } from '../store/claims.ts';

/** Where a message goes now; or why it goes nowhere any more. */
export type Destination = { readonly url: string } | { readonly gone: string };

/** Where a message to a project's people goes by now: its address may have been mended, or taken out, since it was told. */
export function destinationOf(
  channels: Channels | undefined,
  { kind, recipient }: Claimed,
  knownUrl: string,
): Destination {
  if (channels === undefined) return { gone: 'the project is gone' };
  if (kind === 'mail')
    return channels.notifyEmails.includes(recipient)
      ? { url: knownUrl }
      : { gone: 'the project writes to this address no more' };
  const url = kind === 'webhook' ? channels.webhookUrl : channels.chatUrl;
  return url === '' ? { gone: `the project has no ${kind} any more` } : { url };
}
