/** Scopes in ascending order; each includes the ones before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Lifetime of an access token of an application, days. There are no refresh tokens: the person grants it again. */
export const GRANT_DAYS = 90;

/** The projects of its workspace that a caller may access. A list without projects gives access to none. */
export type ProjectAccess = { readonly kind: 'all' } | { readonly kind: 'only'; readonly projects: readonly string[] };

export const ALL_PROJECTS = { kind: 'all' } as const satisfies ProjectAccess;

/** Returns the access to these projects and no others. */
export const onlyProjects = (projects: readonly string[]): ProjectAccess => ({ kind: 'only', projects });

/** Returns whether a project may be accessed. */
export const allowsProject = (access: ProjectAccess, projectId: string): boolean =>
  access.kind === 'all' || access.projects.includes(projectId);

/** Returns the projects that a query is limited to; undefined: none, all projects of the workspace are visible. */
export const projectLimitOf = (access: ProjectAccess): readonly string[] | undefined =>
  access.kind === 'all' ? undefined : access.projects;

/** What each caller has: the workspace it acts for, which every query is filtered by, and the projects it may access there. */
interface InWorkspace {
  readonly workspaceId: string;
  readonly access: ProjectAccess;
}

/** An API key. */
export interface KeyCaller extends InWorkspace {
  readonly kind: 'key';
  readonly keyId: string;
  readonly scope: Scope;
  /** The workspace of the key, where it acts in the sub-account `workspaceId`. */
  readonly parentId?: string;
}

/** A signed-in person, with the scope of their role. */
export interface PersonCaller extends InWorkspace {
  readonly kind: 'person';
  readonly userId: string;
  readonly sessionId: string;
  readonly scope: Scope;
  readonly access: typeof ALL_PROJECTS;
  /** The workspace of the person, where they act in the sub-account `workspaceId`. */
  readonly parentId?: string;
}

/**
 * A service, or the operator, that acts for a workspace on its own behalf. It has no scope: it may call the RPCs that
 * `OWN_BEHALF_CALLERS` lists for it, the operator every RPC.
 */
export interface ServiceCaller extends InWorkspace {
  readonly kind: 'service';
  readonly service: string;
}

/** A program outside the fleet, with a credential of its own. */
export interface ProgramCaller extends InWorkspace {
  readonly kind: 'program';
  readonly program: string;
  readonly scope: Scope;
}

/** The identity a request acts for. Sent in the signed credential of a gRPC call. */
export type Caller = KeyCaller | PersonCaller | ServiceCaller | ProgramCaller;

/** A signed-in person. Without a workspace they act on the own account only. */
export type Person = Pick<PersonCaller, 'userId' | 'sessionId'>;

/** Returns the caller of a service's own work for a workspace. `access`: by default all projects. */
export const onOwnBehalf = (
  service: string,
  workspaceId: string,
  access: ProjectAccess = ALL_PROJECTS,
): ServiceCaller => ({ kind: 'service', service, workspaceId, access });

/** Returns the id of the person or key that acts, `usr_…` or `key_…`, or the name of the service or program. */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case 'key':
      return caller.keyId;
    case 'person':
      return caller.userId;
    case 'service':
      return caller.service;
    case 'program':
      return caller.program;
  }
}

/**
 * Returns the actor whose work outside projects a caller may reach; undefined: of every actor. A key that is restricted to projects reaches what it
 * started.
 */
export const actorLimitOf = (caller: Caller): string | undefined =>
  caller.kind === 'service' || caller.access.kind === 'all' ? undefined : actorOf(caller);

/** Returns whether a caller may reach work outside projects that an actor started. */
export function reachesWorkOf(caller: Caller, actorId: string): boolean {
  const limit = actorLimitOf(caller);
  return limit === undefined || limit === actorId;
}

/** Returns the workspace and the actor of an action, as the audit log and stored rows name them. */
export const actedBy = (caller: Caller): { readonly workspaceId: string; readonly actorId: string } => ({
  workspaceId: caller.workspaceId,
  actorId: actorOf(caller),
});

/** Returns the workspace that the key or person belongs to. */
export const ownWorkspaceOf = (caller: Caller): string =>
  ('parentId' in caller ? caller.parentId : undefined) ?? caller.workspaceId;

/** Returns whether a caller has the rights of a scope. A service has those that its RPCs need. */
export const hasScope = (caller: Caller, needs: Scope): boolean =>
  caller.kind === 'service' || scopeIncludes(caller.scope, needs);

/** Returns whether the scope `has` includes the required scope `needs`. */
export function scopeIncludes(has: Scope, needs: Scope): boolean {
  return SCOPES.indexOf(has) >= SCOPES.indexOf(needs);
}

/** Returns the highest known scope in `scopes`, or `read` if none is known. */
export function highestScope(scopes: readonly string[]): Scope {
  return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'read';
}
