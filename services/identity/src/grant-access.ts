import {
  ALL_PROJECTS,
  type Caller,
  GRANT_DAYS,
  newId,
  type Scope,
  scopeIncludes,
  scopeOfRole,
} from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { generateSecret, hashSecret } from './domain/api-key.ts';
import { type ApiKeyRecord, type KeyStore, MAX_KEYS } from './store/key-store.ts';
import type { MemberStore } from './store/member-store.ts';

const DAY_MS = 86_400_000;
/** Characters of the name of a key. */
const MAX_NAME = 100;

const NOT_A_MEMBER = 'access is granted by a member of the workspace';

interface Parts {
  readonly keys: KeyStore;
  readonly members: MemberStore;
  readonly now: () => Date;
}

/**
 * Creates the key of an application that a person granted access to, with at most the scope of the role that the person has now.
 * @throws AppError forbidden, scopes, conflict
 */
export type GrantAccess = (
  caller: Caller,
  request: { readonly clientName: string; readonly scope: Extract<Scope, 'read' | 'write'> },
) => Promise<{ key: ApiKeyRecord; secret: string }>;

export function makeGrantAccess({ keys, members, now }: Parts): GrantAccess {
  return async (caller, { clientName, scope }) => {
    if (caller.kind !== 'person') throw new AppError('forbidden', NOT_A_MEMBER);
    const { workspaceId, userId } = caller;
    const member = await members.find(workspaceId, userId);
    if (member === undefined) throw new AppError('forbidden', NOT_A_MEMBER);
    const own = scopeOfRole(member.role);
    if (!scopeIncludes(own, scope)) throw new AppError('scopes', `your role has ${own}; you can grant at most that`);
    const secret = generateSecret();
    const createdAt = now();
    const key = await keys.create({
      id: newId('key'),
      workspaceId,
      name: `OAuth: ${clientName}`.slice(0, MAX_NAME),
      scopes: [scope],

      secretHash: hashSecret(secret),
      lastFour: secret.slice(-4),
      access: ALL_PROJECTS,
      rpm: null,

      createdBy: userId,
      isGrant: true,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + GRANT_DAYS * DAY_MS),
    });
    if (key === undefined)
      throw new AppError('conflict', `a workspace has at most ${MAX_KEYS} API keys that are not revoked`);
    // A removal that ended before the key was created did not revoke it; a later one does.
    if ((await members.find(workspaceId, userId)) === undefined)
      await keys.revoke(workspaceId, key.id, { at: now(), by: userId });
    return { key, secret };
  };
}
