import { actedBy, actorOf, type Caller, hasScope, ownWorkspaceOf, type Role, roleIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { lockGiver, refuseLimitedKey } from '../access/lock-giver.ts';
import { refuseRestrictedKey } from '../access/refuse-restricted-key.ts';
import { withdrawRights } from '../access/withdraw-rights.ts';
import { writeAccessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberRecord, MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';

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

/** @throws AppError forbidden unless the caller has this role */
export function requireRole(own: Role, needed: Role, what: string): void {
  if (!roleIncludes(own, needed))
    throw new AppError('forbidden', `${what} requires the role ${needed}; this caller has the rights of ${own}`);
}

/** Changes the role of a member. Only an owner makes or unmakes an owner; the last owner stays. @throws AppError forbidden, not_found, conflict */
export type UpdateMember = (caller: Caller, request: { userId: string; role: Role }) => Promise<MemberRecord>;

export function makeUpdateMember({
  pool,
  members,
  send,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly send: SendEvents;
}): UpdateMember {
  return async (caller, { userId, role }) => {
    const { workspaceId } = caller;
    const { changed, events } = await inTransaction(pool, async (db) => {
      const { own, member } = await lock({ members }, db, { caller, userId });
      requireRole(own, 'admin', 'the change of a role');
      if (role === 'owner' || member.role === 'owner') requireRole(own, 'owner', 'the role owner');
      if (member.role === 'owner' && role !== 'owner') await requireOtherOwner({ members }, db, workspaceId);
      if (!roleIncludes(member.role, role)) refuseLimitedKey(await lockGiver(db, caller), 'the rise of a role');
      await members.setRole(db, { workspaceId, userId, role });
      const detail = { from: member.role, to: role };
      await writeAudit(db, { ...actedBy(caller), action: 'member.role_changed', subjectId: userId, detail });
      const loss = { kind: 'role_changed', userId, role } as const;
      const withdrawn = await withdrawRights(db, { workspaceId, by: actorOf(caller), loss });
      return { changed: { ...member, role }, events: withdrawn.events };
    });
    send(events);
    return changed;
  };
}

/** Removes a member, or the caller itself. @throws AppError forbidden, not_found, conflict (the last owner) */
export type RemoveMember = (caller: Caller, request: { userId: string; revokeKeys: boolean }) => Promise<void>;

export function makeRemoveMember({
  pool,
  members,
  send,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly send: SendEvents;
}): RemoveMember {
  return async (caller, { userId, revokeKeys }) => {
    const { workspaceId } = caller;
    const sent = await inTransaction(pool, async (db) => {
      const { own, member } = await lock({ members }, db, { caller, userId });
      if (caller.kind !== 'person' || caller.userId !== userId) {
        requireRole(own, 'admin', 'the removal of a member');
        if (member.role === 'owner') requireRole(own, 'owner', 'the removal of an owner');
      }
      if (member.role === 'owner') await requireOtherOwner({ members }, db, workspaceId);
      await members.remove(db, workspaceId, userId);
      const detail = { role: member.role, keysRevoked: revokeKeys };
      await writeAudit(db, { ...actedBy(caller), action: 'member.removed', subjectId: userId, detail });
      const loss = { kind: 'member_removed', userId, revokesKeys: revokeKeys } as const;
      const { events } = await withdrawRights(db, { workspaceId, by: actorOf(caller), loss });
      await writeAccessRemoved(db, workspaceId, [userId]);
      return events;
    });
    send(sent);
  };
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
