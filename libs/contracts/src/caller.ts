/** Scopes in their order: each holds the ones before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who a request acts for. Travels in gRPC metadata; every query is filtered by its workspace. */
export interface Caller {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly scope: Scope;
  /** Projects the key may see; empty means all. */
  readonly projects: readonly string[];
}

/** Whether a caller's scope reaches the one a route asks for. */
export function scopeIncludes(has: Scope, needs: Scope): boolean {
  return SCOPES.indexOf(has) >= SCOPES.indexOf(needs);
}

/** The highest of the scopes a key was given; a key with none can only read. */
export function highestScope(scopes: readonly string[]): Scope {
  return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'read';
}
