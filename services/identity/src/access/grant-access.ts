import { ALL_PROJECTS, type Caller, GRANT_DAYS, type Scope, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { lockGiverRole } from '../store/giver-store.ts';
import { type ApiKeyRecord, oldestGrants } from '../store/key-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { addKey } from './add-key.ts';
import { endKeys } from './revoke-key.ts';

const DAY_MS = 86_400_000;
/** Characters of the name of a key. */
const MAX_NAME = 100;

const NOT_A_MEMBER = 'access is granted by a member of the workspace';

interface Parts {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly send: SendEvents;
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

export function makeGrantAccess({ pool, members, send, now }: Parts): GrantAccess {
  return async (caller, { clientName, scope }) => {
    if (caller.kind !== 'person') throw new AppError('forbidden', NOT_A_MEMBER);
    const { workspaceId, userId } = caller;
    const createdAt = now();
    const { made, events } = await inTransaction(pool, async (db) => {
      if (!(await members.lockWorkspace(db, workspaceId))) throw new AppError('not_found', 'workspace not found');
      const role = await lockGiverRole(db, { workspaceId, userId });
      if (role === undefined) throw new AppError('forbidden', NOT_A_MEMBER);
      const own = scopeOfRole(role);
      if (!scopeIncludes(own, scope)) throw new AppError('scopes', `your role has ${own}; you can grant at most that`);
      const old = await oldestGrants(db, { workspaceId, userId });
      const ended = await endKeys(db, { workspaceId, keyIds: old, by: userId });
      const key = await addKey(db, {
        workspaceId,
        name: `OAuth: ${clientName}`.slice(0, MAX_NAME),
        scopes: [scope],
        access: ALL_PROJECTS,
        rpm: null,
        createdBy: userId,
        isGrant: true,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + GRANT_DAYS * DAY_MS),
      });
      return { made: key, events: ended };
    });
    send(events);
    return made;
  };
}
