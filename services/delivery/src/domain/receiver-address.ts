import { createHash } from 'node:crypto';

interface ReceiverAddress {
  readonly workspaceId: string;
  readonly kind: string;
  readonly url: string;
}

/**
 * What messages queue by: the workspace, the kind and the address they go to. A dead receiver delays no neighbour on its server, two
 * workspaces never share a queue, and a workspace's mail has one of its own. A hash, because an address may be secret.
 */
export const queueKeyOf = ({ workspaceId, kind, url }: ReceiverAddress): string =>
  createHash('sha256').update(`${workspaceId}\n${kind}\n${url}`).digest('base64url');

/** Where it is, as it may be shown: never a path, a query or a credential. */
export const hostOf = ({ kind, url }: Pick<ReceiverAddress, 'kind' | 'url'>): string =>
  kind === 'mail' ? '' : (URL.parse(url)?.host ?? '');
