import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { LIFETIMES } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';

/** Creates the token whose sign-up becomes the first owner of a workspace. @returns '' if the workspace has an owner or does not exist */
export type SetupToken = (workspaceId: string) => Promise<string>;

export function makeSetupToken({
  pool,
  tokens,
  members,
}: {
  readonly pool: pg.Pool;
  readonly tokens: TokenStore;
  readonly members: MemberStore;
}): SetupToken {
  return (workspaceId) =>
    inTransaction(pool, async (db) => {
      const exists = await members.lockWorkspace(db, workspaceId);
      if (!exists || (await members.count(db, workspaceId, 'owner')) > 0) return '';
      return tokens.create(db, { kind: 'setup', workspaceId, email: '', seconds: LIFETIMES.setup });
    });
}

/** Creates a token to set a new password, for an operator without a mail host. It proves no address. @returns '' if no account has this address */
export type ResetToken = (given: string) => Promise<string>;

export function makeResetToken({
  pool,
  users,
  tokens,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly tokens: TokenStore;
}): ResetToken {
  return async (given) => {
    const email = normalizeEmail(given);
    const [user] = await users.accountsOf(email);
    if (user === undefined) return '';
    return inTransaction(pool, async (db) => {
      await writePersonAudit(db, user.id, 'reset_link.created', { actorId: '' });
      return tokens.create(db, { kind: 'reset', userId: user.id, email, seconds: LIFETIMES.reset });
    });
  };
}
