import { actedBy, type Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WorkspaceChange, WorkspaceStore, WorkspaceView } from '../store/workspace-store.ts';

import { requireRole, roleOfCaller } from './manage-members.ts';

/**
 * Changes the name, the rate limit or the second-factor rule of a workspace. An owner sets the rule, and has a factor: otherwise the rule would
 * lock its author out. @throws AppError forbidden, not_found, conflict
 */
export type UpdateWorkspace = (caller: Caller, change: WorkspaceChange) => Promise<WorkspaceView>;

export function makeUpdateWorkspace({
  pool,
  users,
  members,
  workspaces,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
}): UpdateWorkspace {
  return async (caller, change) => {
    const own = await roleOfCaller({ members }, caller);
    requireRole(own, 'admin', 'a change of the workspace');
    if (change.requireSecondFactor !== undefined) await requireOwnerWithFactor(caller, own);
    return inTransaction(pool, async (db) => {
      const workspace = await workspaces.update(db, caller.workspaceId, change);
      if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
      const { name, maxRpm, requireSecondFactor } = change;
      const detail = { name, max_rpm: maxRpm, require_second_factor: requireSecondFactor };
      await writeAudit(db, { ...actedBy(caller), action: 'workspace.changed', subjectId: workspace.id, detail });
      return workspace;
    });
  };

  async function requireOwnerWithFactor(caller: Caller, own: Parameters<typeof requireRole>[0]): Promise<void> {
    requireRole(own, 'owner', 'the second-factor rule');
    const user = caller.kind === 'person' ? await users.find(caller.userId) : undefined;
    if (user?.hasFactor !== true)
      throw new AppError(
        'conflict',
        'set up a second factor of your own first: PATCH /auth/profile {two_factor: "start"}',
      );
  }
}
