import { inTransaction } from '@tidemark/service';
import { LIFETIMES } from '../domain/limits.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import { type AccountParts, normalizeEmail } from './account-parts.ts';

type Parts = Pick<AccountParts, 'pool' | 'users' | 'tokens' | 'members'>;

/** Makes the token whose sign-up becomes the first owner of a workspace. @returns '' if the workspace has an owner or does not exist */
export function makeSetupToken({ pool, tokens, members }: Pick<Parts, 'pool' | 'tokens' | 'members'>) {
  return (workspaceId: string): Promise<string> =>
    inTransaction(pool, async (db) => {
      const exists = await members.lockWorkspace(db, workspaceId);
      if (!exists || (await members.count(db, workspaceId, 'owner')) > 0) return '';
      return tokens.create(db, { kind: 'setup', workspaceId, email: '', seconds: LIFETIMES.setup });
    });
}

/** Makes a token to set a new password, for an operator without a mail host. @returns '' if no account has this address */
export function makeResetToken({ pool, users, tokens }: Pick<Parts, 'pool' | 'users' | 'tokens'>) {
  return async (given: string): Promise<string> => {
    const email = normalizeEmail(given);
    const user = await users.findByEmail(email);
    if (user === undefined) return '';
    return inTransaction(pool, async (db) => {
      await writePersonAudit(db, user.id, 'reset_link.created', { actorId: '' });
      return tokens.create(db, { kind: 'reset', userId: user.id, email, seconds: LIFETIMES.reset });
    });
  };
}
