import { roleIncludes } from '@tidemark/contracts';
import { inTransaction, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { withdrawRights } from '../access/withdraw-rights.ts';
import { writeAccessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { changesByGroups, type GroupChange, type GroupRole, rolesGiven } from './group-roles.ts';

/**
 * Applies the groups that a sign-in states to the memberships of the person: those that groups give begin, change their role or end. A workspace
 * that does not exist is left out. Idempotent.
 */
export type ApplyGroups = (userId: string, groups: readonly string[]) => Promise<void>;

export function makeApplyGroups({
  pool,
  members,
  rules,
  send,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly rules: readonly GroupRole[];
  readonly send: SendEvents;
}): ApplyGroups {
  return async (userId, groups) => {
    const given = rolesGiven(rules, groups);
    const planned = changesByGroups(await members.givenTo(userId), given);
    // Locked in the order of their ids, as every transaction over several workspaces.
    for (const { workspaceId } of planned.toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1)))
      send(await inTransaction(pool, (db) => apply(db, { workspaceId, userId, given })));
  };

  /** Decides again under the lock of the workspace: a member may have been changed meanwhile. */
  async function apply(
    db: pg.PoolClient,
    {
      workspaceId,
      userId,
      given,
    }: { readonly workspaceId: string; readonly userId: string; readonly given: ReadonlyMap<string, GroupRole> },
  ): Promise<readonly OutgoingEvent[]> {
    if (!(await members.lockWorkspace(db, workspaceId))) return [];
    const memberships = (await members.givenTo(userId, db)).filter((one) => one.workspaceId === workspaceId);
    const change = changesByGroups(memberships, given).find((one) => one.workspaceId === workspaceId);
    if (change === undefined) return [];
    if (change.kind === 'remove') return remove(db, userId, change);
    const [before] = memberships;
    const { role, group } = change;
    await members.giveByGroup(db, { workspaceId, userId, role, group });
    const detail = before === undefined ? { role, group } : { from: before.role, to: role, group };
    const action = before === undefined ? 'member.joined' : 'member.role_changed';
    await writeAudit(db, { workspaceId, actorId: userId, action, subjectId: userId, detail });
    if (before === undefined || roleIncludes(role, before.role)) return [];
    const loss = { kind: 'role_changed', userId, role } as const;
    return (await withdrawRights(db, { workspaceId, by: userId, loss })).events;
  }

  async function remove(
    db: pg.PoolClient,
    userId: string,
    { workspaceId, role, group }: GroupChange,
  ): Promise<readonly OutgoingEvent[]> {
    await members.remove(db, workspaceId, userId);
    const detail = { role, group };
    await writeAudit(db, { workspaceId, actorId: userId, action: 'member.removed', subjectId: userId, detail });
    const loss = { kind: 'member_removed', userId, revokesKeys: false } as const;
    const { events } = await withdrawRights(db, { workspaceId, by: userId, loss });
    await writeAccessRemoved(db, workspaceId, [userId]);
    return events;
  }
}
