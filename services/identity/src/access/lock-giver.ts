import { type Caller, ownWorkspaceOf, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type pg from 'pg';
import { type GiverKey, lockGiverKey, lockGiverRole } from '../store/giver-store.ts';

/**
 * Returns what a caller may give now, and keeps it until the end of the transaction; `unlimited` for the operator and services.
 * @throws AppError unauthorized (the key is revoked or expired), not_found (no member any more)
 */
export async function lockGiver(db: pg.PoolClient, caller: Caller): Promise<GiverKey | 'unlimited'> {
  const workspaceId = ownWorkspaceOf(caller);
  switch (caller.kind) {
    case 'service':
      return 'unlimited';
    case 'program':
      return { scopes: [caller.scope], rpm: null, expiresAt: null };
    case 'person': {
      const role = await lockGiverRole(db, { workspaceId, userId: caller.userId });
      if (role === undefined) throw new AppError('not_found', 'workspace not found');
      // The role may have changed since the request was authenticated, in either direction.
      const own = scopeOfRole(role);
      return { scopes: [scopeIncludes(own, caller.scope) ? caller.scope : own], rpm: null, expiresAt: null };
    }
    case 'key': {
      const key = await lockGiverKey(db, { workspaceId, keyId: caller.keyId });
      if (key === undefined)
        throw new AppError('unauthorized', 'the key of this request was revoked or has expired; use another key');
      return key;
    }
  }
}

/**
 * Refuses a key with an expiry or a rate limit of its own where it gives a role: a membership has neither, so it would exceed the key.
 * @throws AppError forbidden
 */
export function refuseLimitedKey(giver: GiverKey | 'unlimited', what: string): void {
  if (giver === 'unlimited' || (giver.expiresAt === null && giver.rpm === null)) return;
  throw new AppError(
    'forbidden',
    `${what} requires a person, or a key without an expiry and a rate limit of its own: a membership has neither`,
  );
}
