import { createHash } from 'node:crypto';

interface Place {
  readonly workspaceId: string;
  readonly kind: string;
  readonly url: string;
}

/**
 * What messages queue by: the workspace and the origin they go to. Two webhooks on one server share its fate, two workspaces never
 * share a queue; mail has one of its own. A hash, because an origin may be as secret as the address.
 */
export function laneOf({ workspaceId, kind, url }: Place): string {
  const origin = kind === 'mail' ? 'mail' : (URL.parse(url)?.origin ?? 'nowhere');
  return createHash('sha256').update(`${workspaceId}\n${origin}`).digest('base64url');
}

/** Where it is, as it may be shown: never a path, a query or a credential. */
export const hostOf = ({ kind, url }: Pick<Place, 'kind' | 'url'>): string =>
  kind === 'mail' ? '' : (URL.parse(url)?.host ?? '');
