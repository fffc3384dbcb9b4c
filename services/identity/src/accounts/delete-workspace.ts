import { actorOf, type Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { publishSnapshot } from '../store/workspace-snapshot.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';

import { requireRole, roleOfCaller } from './manage-members.ts';

/**
 * Deletes a workspace with its sub-accounts, keys, members and invitations. The events that make other services cancel its work and delete its data
 * are written in the same transaction. Members keep their accounts. @throws AppError forbidden, not_found, validation
 */
export type DeleteWorkspace = (caller: Caller, name: string) => Promise<void>;

export function makeDeleteWorkspace({
  pool,
  members,
  workspaces,
  send,
  now,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  readonly send: SendEvents;
  readonly now: () => Date;
}): DeleteWorkspace {
  return async (caller, name) => {
    const { workspaceId } = caller;
    const outgoing = await inTransaction(pool, async (db) => {
      if (!(await members.lockWorkspace(db, workspaceId))) throw new AppError('not_found', 'workspace not found');
      requireRole(await roleOfCaller({ members }, caller, db), 'owner', 'the deletion of a workspace');
      const workspace = await workspaces.find(workspaceId, db);
      if (workspace?.name !== name)
        throw new AppError(
          'validation',
          `name: expected the name of the workspace, "${workspace?.name}", as a confirmation`,
          {
            detail: [{ loc: ['query', 'name'], msg: 'expected the name of the workspace', type: 'confirmation' }],
          },
        );
      const ids = [...(await workspaces.lockChildren(db, workspaceId)), workspaceId];
      const events: OutgoingEvent[] = [];
      for (const id of ids) events.push(...(await publishSnapshot(db, id, { at: now(), isDeleted: true })));
      if (workspace.parentId !== null)
        await writeAudit(db, {
          workspaceId: workspace.parentId,
          actorId: actorOf(caller),
          action: 'child.deleted',
          subjectId: workspaceId,
          detail: { name },
        });
      // Sub-accounts first: they refer to their parent.
      for (const id of ids) await workspaces.delete(db, id);
      return events;
    });
    send(outgoing);
  };
}
