import {
  actedBy,
  actorOf,
  type Caller,
  hasScope,
  isRole,
  ownWorkspaceOf,
  type Role,
  roleIncludes,
  SCOPES,
  scopeIncludes,
  scopeOfRole,
} from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { refuseRestrictedKey } from '../refuse-restricted-key.ts';
import { writeAccessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { InviteStore } from '../store/invite-store.ts';
import type { MemberRecord, MemberStore } from '../store/member-store.ts';

/**
 * Returns the role that a caller has now: a person's own, and admin for the scope admin. In a sub-account a person has the role that they
 * have in its parent. Called under the lock of the workspace, so that
 * a role that was taken away gives no right. @throws AppError forbidden, not_found
 */
export async function roleOfCaller(
  { members }: { readonly members: MemberStore },
  caller: Caller,
  db?: pg.PoolClient,
): Promise<Role> {
  refuseRestrictedKey(caller);
  if (caller.kind !== 'person') return hasScope(caller, 'admin') ? 'admin' : 'viewer';
  const own = await members.find(ownWorkspaceOf(caller), caller.userId, db);
  if (own === undefined) throw new AppError('not_found', 'workspace not found');
  return own.role;
}

/** Returns a role of a request. @throws AppError validation */
export function readRole(text: string): Role {
  if (isRole(text)) return text;
  throw new AppError('validation', `role: "${text}" is no role; expected viewer, member, admin or owner`);
}

/** @throws AppError forbidden unless the caller has this role */
export function requireRole(own: Role, needed: Role, what: string): void {
  if (!roleIncludes(own, needed))
    throw new AppError('forbidden', `${what} requires the role ${needed}; this caller has the rights of ${own}`);
}

/** Changes the role of a member. Only an owner makes or unmakes an owner; the last owner stays. @throws AppError forbidden, not_found, conflict */
export type UpdateMember = (caller: Caller, request: { userId: string; role: string }) => Promise<MemberRecord>;

export function makeUpdateMember({
  pool,
  members,
  invites,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly invites: InviteStore;
}): UpdateMember {
  return (caller, { userId, role: given }) => {
    const role = readRole(given);
    return inTransaction(pool, async (db) => {
      const { own, member } = await lock({ members }, db, { caller, userId });
      requireRole(own, 'admin', 'the change of a role');
      if (role === 'owner' || member.role === 'owner') requireRole(own, 'owner', 'the role owner');
      if (member.role === 'owner' && role !== 'owner') await requireOtherOwner({ members }, db, caller.workspaceId);
      await members.setRole(db, { workspaceId: caller.workspaceId, userId, role });
      const detail = { from: member.role, to: role };
      await writeAudit(db, { ...actedBy(caller), action: 'member.role_changed', subjectId: userId, detail });
      if (!roleIncludes(role, 'admin')) await invites.revokeOf(db, caller.workspaceId, userId);
      const remaining = SCOPES.filter((scope) => scopeIncludes(scopeOfRole(role), scope));
      const grants = { workspaceId: caller.workspaceId, userId, remaining };
      const keyIds = await members.revokeGrantsOf(db, grants, actorOf(caller));
      await recordRevoked(db, caller, { userId, keyIds });
      return { ...member, role };
    });
  };
}

/** Removes a member, or the caller itself. @throws AppError forbidden, not_found, conflict (the last owner) */
export type RemoveMember = (caller: Caller, request: { userId: string; revokeKeys: boolean }) => Promise<void>;

export function makeRemoveMember({
  pool,
  members,
  invites,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly invites: InviteStore;
}): RemoveMember {
  return (caller, { userId, revokeKeys }) =>
    inTransaction(pool, async (db) => {
      const { own, member } = await lock({ members }, db, { caller, userId });
      if (caller.kind !== 'person' || caller.userId !== userId) {
        requireRole(own, 'admin', 'the removal of a member');
        if (member.role === 'owner') requireRole(own, 'owner', 'the removal of an owner');
      }
      if (member.role === 'owner') await requireOtherOwner({ members }, db, caller.workspaceId);
      await members.remove(db, caller.workspaceId, userId);
      const detail = { role: member.role, keysRevoked: revokeKeys };
      await writeAudit(db, { ...actedBy(caller), action: 'member.removed', subjectId: userId, detail });
      await invites.revokeOf(db, caller.workspaceId, userId);
      const of = { workspaceId: caller.workspaceId, userId };
      const ended = await members.revokeGrantsOf(db, { ...of, remaining: [] }, actorOf(caller));
      const revoked = revokeKeys ? await members.revokeKeysOf(db, of, actorOf(caller)) : [];
      await recordRevoked(db, caller, { userId, keyIds: [...ended, ...revoked] });
      await writeAccessRemoved(db, caller.workspaceId, [userId]);
    });
}

/** Records the end of keys of a member. */
async function recordRevoked(
  db: pg.PoolClient,
  caller: Caller,
  { userId, keyIds }: { readonly userId: string; readonly keyIds: readonly string[] },
): Promise<void> {
  for (const subjectId of keyIds)
    await writeAudit(db, { ...actedBy(caller), action: 'key.revoked', subjectId, detail: { member: userId } });
  await writeAccessRemoved(db, caller.workspaceId, keyIds);
}

/** Locks the workspace, and then reads the roles of caller and member. Without the lock two owners could leave at once. */
async function lock(
  { members }: { readonly members: MemberStore },
  db: pg.PoolClient,
  { caller, userId }: { readonly caller: Caller; readonly userId: string },
): Promise<{ own: Role; member: MemberRecord }> {
  const { workspaceId } = caller;
  const exists = await members.lockWorkspace(db, workspaceId);
  const member = exists ? await members.find(workspaceId, userId, db) : undefined;
  if (member === undefined) throw new AppError('not_found', 'member not found');
  return { own: await roleOfCaller({ members }, caller, db), member };
}

async function requireOtherOwner(
  { members }: { readonly members: MemberStore },
  db: pg.PoolClient,
  workspaceId: string,
): Promise<void> {
  if ((await members.count(db, workspaceId, 'owner')) < 2)
    throw new AppError('conflict', 'this is the last owner of the workspace; make another member an owner first');
}
