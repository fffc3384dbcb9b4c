import { type Account, isId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import { sessionEnded } from '../accounts/view-session.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { PasskeyRecord } from '../store/passkey-store.ts';
import type { PasskeyParts } from './passkey-parts.ts';

/** Renames a passkey of a person. @throws AppError not_found */
export function makeRenamePasskey({ passkeys }: Pick<PasskeyParts, 'passkeys'>) {
  return async (
    { userId }: Account,
    { id, name }: { readonly id: string; readonly name: string },
  ): Promise<PasskeyRecord> => {
    const renamed = isId('psk', id) ? await passkeys.rename(userId, id, name.trim()) : undefined;
    if (renamed === undefined) throw unknownPasskey();
    return renamed;
  };
}

/**
 * Removes a passkey and ends the other sessions, one of which may have been opened with it. Without another factor the recovery codes are
 * deleted too. @throws AppError not_found
 */
export function makeRemovePasskey({ pool, users, passkeys, factors, sessions, mails }: PasskeyParts) {
  return async ({ userId, sessionId }: Account, id: string): Promise<void> => {
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
