import { createHash } from 'node:crypto';

interface ReceiverAddress {
  readonly workspaceId: string;
  readonly kind: string;
  readonly url: string;
}

/**
 * Returns the key of a receiver queue: a hash of workspace, kind and address. An unresponsive receiver delays no other on its server, two
 * workspaces never share a queue, and the mail of a workspace is one queue. Hashed because an address may be secret.
 */
export const queueKeyOf = ({ workspaceId, kind, url }: ReceiverAddress): string =>
  createHash('sha256').update(`${workspaceId}\n${kind}\n${url}`).digest('base64url');

/** Returns the part of an address that may be shown: its host, without path, query or credentials. */
export const hostOf = ({ kind, url }: Pick<ReceiverAddress, 'kind' | 'url'>): string =>
  kind === 'mail' ? '' : (URL.parse(url)?.host ?? '');
