/** Scopes in ascending order; each includes the ones before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Lifetime of an access token of an application, days. There are no refresh tokens: the person grants it again. */
export const GRANT_DAYS = 90;

/** The identity a request acts for. Sent in the signed credential of a gRPC call; every query is filtered by its workspace. */
export interface Caller {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly scope: Scope;
  /** Ids of the projects the key may access; empty means all. */
  readonly projects: readonly string[];
  /** The signed-in person and their session; absent for keys. `keyId` is then empty. */
  readonly userId?: string;
  readonly sessionId?: string;
  /** The workspace of the key or person, where they act in its sub-account `workspaceId`. */
  readonly parentId?: string;
}

/** Returns the id of the person or key that acts: `usr_…` or `key_…`. */
export const actorOf = ({ userId, keyId }: Pick<Caller, 'userId' | 'keyId'>): string => userId ?? keyId;

/** Returns the workspace that the key or person belongs to. */
export const ownWorkspaceOf = ({ workspaceId, parentId }: Pick<Caller, 'workspaceId' | 'parentId'>): string =>
  parentId ?? workspaceId;

/** Returns whether the scope `has` includes the required scope `needs`. */
export function scopeIncludes(has: Scope, needs: Scope): boolean {
  return SCOPES.indexOf(has) >= SCOPES.indexOf(needs);
}

/** Returns the highest known scope in `scopes`, or `read` if none is known. */
export function highestScope(scopes: readonly string[]): Scope {
  return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'read';
}
