import { actorOf, type Caller, highestScope, type ProjectAccess, scopeIncludes } from '@tidemark/contracts';
import { AppError, type FieldFault } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { GiverKey } from '../store/giver-store.ts';
import type { ApiKeyRecord } from '../store/key-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import { addKey } from './add-key.ts';
import { lockGiver } from './lock-giver.ts';
import { refuseRestrictedKey } from './refuse-restricted-key.ts';

const DAY_MS = 86_400_000;

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly access: ProjectAccess;
  readonly expiresInDays: number | undefined;
  readonly rpm: number | undefined;
}

/**
 * Creates a key and returns it with its secret. A key has at most the scope, expiry and rate limit of the key that creates it, and a
 * workspace has at most `MAX_KEYS` keys that are not revoked. A person or a program creates keys up to the own scope; the operator has no
 * limits.
 * @throws AppError forbidden, conflict, unauthorized, not_found
 */
export type CreateKey = (caller: Caller, request: NewKey) => Promise<{ key: ApiKeyRecord; secret: string }>;

export function makeCreateKey({
  pool,
  members,
  now,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly now: () => Date;
}): CreateKey {
  return (caller, { name, scopes, access, expiresInDays, rpm = null }) => {
    refuseRestrictedKey(caller);
    const { workspaceId } = caller;
    const createdAt = now();
    const expiresAt = expiresInDays === undefined ? null : new Date(createdAt.getTime() + expiresInDays * DAY_MS);
    return inTransaction(pool, async (db) => {
      if (!(await members.lockWorkspace(db, workspaceId))) throw new AppError('not_found', 'workspace not found');
      const giver = await lockGiver(db, caller);
      if (giver !== 'unlimited') refuseExcess(giver, { scopes, rpm, expiresAt });
      const createdBy = actorOf(caller);
      const rights = { scopes: [...scopes], access, rpm, expiresAt, isGrant: false };
      return addKey(db, { ...rights, workspaceId, name, createdBy, createdAt });
    });
  };
}

/** @throws AppError forbidden naming every field of the new key that exceeds the key that creates it */
function refuseExcess(giver: GiverKey, key: GiverKey): void {
  const faults: FieldFault[] = [];
  const fault = (field: string, msg: string) => faults.push({ loc: ['body', field], msg, type: 'exceeds_own_key' });
  const own = highestScope(giver.scopes);
  if (!scopeIncludes(own, highestScope(key.scopes)))
    fault('scopes', `this key has the scope ${own}; expected at most that`);
  if (giver.rpm !== null && (key.rpm === null || key.rpm > giver.rpm))
    fault('rpm', `this key is limited to ${giver.rpm} requests per minute; expected 1 to ${giver.rpm}`);
  if (giver.expiresAt !== null && (key.expiresAt === null || key.expiresAt > giver.expiresAt))
    fault('expires_in_days', `this key expires at ${giver.expiresAt.toISOString()}; expected an earlier expiry`);
  if (faults.length === 0) return;
  throw new AppError('forbidden', faults.map(({ loc, msg }) => `${loc[1]}: ${msg}`).join('; '), { detail: faults });
}
