import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { withdrawRights } from '../access/withdraw-rights.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import { writeAccessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import { deletePerson, lockAccounts } from '../store/erase-store.ts';
import { MemberStore, type MembershipRecord } from '../store/member-store.ts';
import { publishSnapshot } from '../store/workspace-snapshot.ts';
import { WorkspaceStore } from '../store/workspace-store.ts';

/** What the erasure of a person ended. */
export interface ErasedPerson {
  /** Accounts that were deleted. */
  readonly userIds: readonly string[];
  /** Workspaces that the person left. */
  readonly left: readonly string[];
  /** Workspaces, with their sub-accounts, that were deleted because the person was their only owner. */
  readonly deleted: readonly string[];
}

/**
 * Erases a person from identity, for an operator: memberships, access granted to applications, accounts, and the address in invitations and audit logs.
 * Keys that the person made for programs stay. An address without an account is erased too. Events are rows of the outbox, which the service sends.
 * @throws AppError conflict if the person is the only owner of a workspace, unless such workspaces are deleted
 */
export type ErasePerson = (request: {
  readonly address: string;
  readonly deletesOwned: boolean;
}) => Promise<ErasedPerson>;

export function makeErasePerson({ pool, now }: { readonly pool: pg.Pool; readonly now: () => Date }): ErasePerson {
  const members = new MemberStore(pool);
  const workspaces = new WorkspaceStore(pool);

  const leave = async (db: pg.PoolClient, userId: string, workspaceId: string, role: string): Promise<void> => {
    const loss = { kind: 'member_removed', userId, revokesKeys: false } as const;
    await members.remove(db, workspaceId, userId);
    await writeAudit(db, { workspaceId, actorId: '', action: 'member.removed', subjectId: userId, detail: { role } });
    await withdrawRights(db, { workspaceId, by: '', loss });
    await writeAccessRemoved(db, workspaceId, [userId]);
  };

  const deleteWorkspace = async (db: pg.PoolClient, workspaceId: string): Promise<void> => {
    // Sub-accounts first: they refer to their parent.
    for (const id of [...(await workspaces.lockChildren(db, workspaceId)), workspaceId]) {
      await publishSnapshot(db, id, { at: now(), isDeleted: true });
      await workspaces.delete(db, id);
    }
  };

  /** Leaves the workspaces of an account. @returns those it left, and those that it alone owns, which it did not leave */
  const leaveAll = async (
    db: pg.PoolClient,
    userId: string,
  ): Promise<{ left: string[]; owned: MembershipRecord[] }> => {
    const [left, owned]: [string[], MembershipRecord[]] = [[], []];
    for (const membership of await members.workspacesOf(userId, db)) {
      const { workspaceId, role } = membership;
      await members.lockWorkspace(db, workspaceId);
      if (role === 'owner' && (await members.count(db, workspaceId, 'owner')) < 2) owned.push(membership);
      else {
        await leave(db, userId, workspaceId, role);
        left.push(workspaceId);
      }
    }
    return { left, owned };
  };

  return ({ address: given, deletesOwned }) => {
    const address = normalizeEmail(given);
    return inTransaction(pool, async (db) => {
      const userIds = await lockAccounts(db, address);
      const [left, owned]: [string[], MembershipRecord[]] = [[], []];
      for (const userId of userIds) {
        const ended = await leaveAll(db, userId);
        left.push(...ended.left);
        owned.push(...ended.owned);
      }
      if (owned.length > 0 && !deletesOwned) throw onlyOwner(address, owned);
      for (const { workspaceId } of owned) await deleteWorkspace(db, workspaceId);
      await deletePerson(db, { address, userIds });
      return { userIds, left, deleted: owned.map(({ workspaceId }) => workspaceId) };
    });
  };
}

const onlyOwner = (address: string, owned: readonly MembershipRecord[]): AppError => {
  const names = owned.map(({ workspaceId, name }) => `${workspaceId} (${name})`).join(', ');
  return new AppError(
    'conflict',
    `${address} is the only owner of ${names}; make another member an owner first, or delete these workspaces with the person`,
  );
};
