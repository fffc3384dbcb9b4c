import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { withdrawRights } from '../access/withdraw-rights.ts';
import { writeAccessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';

/**
 * Removes everything that others may have set on an account whose address was not proven: password, second factors, passkeys, sessions, links,
 * keys and open invitations, and its memberships in workspaces that have another owner. Called in the transaction that proves the address.
 * @returns the events that are sent after the commit
 */
export type ReclaimAccount = (db: pg.PoolClient, userId: string) => Promise<readonly OutgoingEvent[]>;

export function makeReclaimAccount({
  users,
  factors,
  sessions,
  tokens,
  members,
}: {
  readonly users: UserStore;
  readonly factors: FactorStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly members: MemberStore;
}): ReclaimAccount {
  return async (db, userId) => {
    await users.setPassword(db, userId, null);
    await factors.deleteAll(db, userId);
    await tokens.deleteOf(db, userId, ['email', 'undo', 'reset', 'passkey_new', 'passkey_check']);
    await sessions.endAll(db, userId);
    const sent: OutgoingEvent[] = [];
    for (const { workspaceId, role } of await members.workspacesOf(userId, db)) {
      await members.lockWorkspace(db, workspaceId);
      const isOnlyOwner = role === 'owner' && (await members.count(db, workspaceId, 'owner')) < 2;
      const loss = { kind: 'member_removed', userId, revokesKeys: true } as const;
      const { keyIds, events } = await withdrawRights(db, { workspaceId, by: userId, loss });
      sent.push(...events);
      const entry = { workspaceId, actorId: userId };
      await writeAudit(db, {
        ...entry,
        action: 'account.reclaimed',
        subjectId: userId,
        detail: { keys: keyIds.length, left: !isOnlyOwner },
      });
      if (!isOnlyOwner) await members.remove(db, workspaceId, userId);
      if (!isOnlyOwner) await writeAccessRemoved(db, workspaceId, [userId]);
    }
    return sent;
  };
}
