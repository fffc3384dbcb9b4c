import { actorOf, type Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent } from '@tidemark/service';
import { writeAudit } from '../store/audit-log.ts';
import { publishSnapshot } from '../store/workspace-snapshot.ts';
import type { AccountParts } from './account-parts.ts';
import { requireRole, roleOfCaller } from './manage-members.ts';

type Parts = Pick<AccountParts, 'pool' | 'members' | 'workspaces' | 'send' | 'now'>;

/**
 * Deletes a workspace with its sub-accounts, keys, members and invitations. The events that make other services cancel its work and delete its data
 * are written in the same transaction. Members keep their accounts. @throws AppError forbidden, not_found, validation
 */
export function makeDeleteWorkspace({ pool, members, workspaces, send, now }: Parts) {
  return async (caller: Caller, name: string): Promise<void> => {
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
