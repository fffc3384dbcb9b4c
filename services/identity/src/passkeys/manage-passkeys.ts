import { isId, type Person } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { sessionEnded } from '../accounts/view-session.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { PasskeyRecord, PasskeyStore } from '../store/passkey-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { UserStore } from '../store/user-store.ts';

/** Renames a passkey of a person. @throws AppError not_found */
export type RenamePasskey = (
  person: Person,
  request: { readonly id: string; readonly name: string },
) => Promise<PasskeyRecord>;

export function makeRenamePasskey({ passkeys }: { readonly passkeys: PasskeyStore }): RenamePasskey {
  return async ({ userId }, { id, name }) => {
    const renamed = isId('psk', id) ? await passkeys.rename(userId, id, name.trim()) : undefined;
    if (renamed === undefined) throw unknownPasskey();
    return renamed;
  };
}

/**
 * Removes a passkey and ends the other sessions, one of which may have been opened with it. Without another factor the recovery codes are
 * deleted too. @throws AppError not_found
 */
export type RemovePasskey = (person: Person, id: string) => Promise<void>;

export function makeRemovePasskey({
  pool,
  users,
  passkeys,
  factors,
  sessions,
  mails,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly passkeys: PasskeyStore;
  readonly factors: FactorStore;
  readonly sessions: SessionStore;
  readonly mails: AccountMails;
}): RemovePasskey {
  return async ({ userId, sessionId }, id) => {
    if (!isId('psk', id)) throw unknownPasskey();
    const send = await inTransaction(pool, async (db) => {
      await users.lock(db, userId);
      const passkeyName = await passkeys.remove(db, userId, id);
      if (passkeyName === undefined) throw unknownPasskey();
      const user = await users.find(userId, db);
      if (user === undefined) throw sessionEnded();
      await writePersonAudit(db, userId, 'passkey.removed');
      if (!user.hasFactor) await factors.deleteAll(db, userId);
      await sessions.endAll(db, userId, sessionId);
      const { email: to, name } = user;
      return mails.write(
        db,
        user.hasFactor ? { kind: 'passkey_removed', to, name, passkeyName } : { kind: 'factor_off', to, name },
      );
    });
    send();
  };
}

const unknownPasskey = () => new AppError('not_found', 'passkey not found');
