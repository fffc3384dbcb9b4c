import { ALL_PROJECTS, type Caller, onlyProjects, type ProjectAccess } from '@tidemark/contracts';
import type { CallContext } from './call-context.ts';
import type { CallerClaims } from './credential.ts';

/** Returns the claims of the caller or person of a call; undefined: the call has none. */
export function claimsOf({ caller, person }: Pick<CallContext, 'caller' | 'person'>): CallerClaims | undefined {
  if (caller !== undefined) return claimsOfCaller(caller);
  return person && { kind: 'account', usr: person.userId, ses: person.sessionId };
}

function claimsOfCaller(caller: Caller): CallerClaims {
  const ws = caller.workspaceId;
  switch (caller.kind) {
    case 'key': {
      const claims = { kind: caller.kind, ws, key: caller.keyId, scope: caller.scope, access: toClaim(caller.access) };
      return caller.parentId === undefined ? claims : { ...claims, par: caller.parentId };
    }
    case 'person': {
      const claims = { kind: caller.kind, ws, usr: caller.userId, ses: caller.sessionId, scope: caller.scope };
      return caller.parentId === undefined ? claims : { ...claims, par: caller.parentId };
    }
    case 'service':
      return { kind: caller.kind, ws, access: toClaim(caller.access) };
    case 'program':
      return { kind: caller.kind, ws, scope: caller.scope, access: toClaim(caller.access) };
  }
}

/** Returns the caller or person that verified claims name. `issuer`: the name in the verified credential. */
export function contextOfClaims(
  claims: CallerClaims | undefined,
  issuer: string,
): Pick<CallContext, 'caller' | 'person'> {
  if (claims === undefined) return {};
  if (claims.kind === 'account') return { person: { userId: claims.usr, sessionId: claims.ses } };
  return { caller: callerOfClaims(claims, issuer) };
}

function callerOfClaims(claims: Exclude<CallerClaims, { readonly kind: 'account' }>, issuer: string): Caller {
  const workspaceId = claims.ws;
  switch (claims.kind) {
    case 'key': {
      const { kind, key: keyId, scope, par: parentId } = claims;
      const caller = { kind, workspaceId, keyId, scope, access: toAccess(claims.access) };
      return parentId === undefined ? caller : { ...caller, parentId };
    }
    case 'person': {
      const { kind, usr: userId, ses: sessionId, scope, par: parentId } = claims;
      const caller = { kind, workspaceId, userId, sessionId, scope, access: ALL_PROJECTS };
      return parentId === undefined ? caller : { ...caller, parentId };
    }
    case 'service':
      return { kind: claims.kind, service: issuer, workspaceId, access: toAccess(claims.access) };
    case 'program': {
      const { kind, scope } = claims;
      return { kind, program: issuer, workspaceId, scope, access: toAccess(claims.access) };
    }
  }
}

type AccessClaim = Extract<CallerClaims, { readonly kind: 'key' }>['access'];

const toClaim = (access: ProjectAccess): AccessClaim => (access.kind === 'all' ? 'all' : [...access.projects]);
const toAccess = (claim: AccessClaim): ProjectAccess => (claim === 'all' ? ALL_PROJECTS : onlyProjects(claim));
