import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import { hashRecoveryCode, newRecoveryCodes } from '../domain/recovery-code.ts';
import type { SessionClient } from '../store/session-store.ts';
import type { AccountParts, Person } from './account-parts.ts';
import type { CheckCode, ShownCode } from './check-code.ts';
import { signInMail } from './log-in.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import { sessionEnded } from './view-session.ts';

type Parts = Pick<AccountParts, 'pool' | 'users' | 'sessions' | 'factors' | 'mails'>;

/** A session with a new token, and the recovery codes of a factor that was confirmed. */
export interface VerifiedCode {
  readonly session: OpenedSession;
  readonly recoveryCodes: readonly string[];
}

/**
 * Checks a code: completes a sign-in, confirms a factor that was started, or renews the freshness of the session.
 * @throws AppError validation (400), rate_limited, conflict without a factor
 */
export function makeVerifyCode({ pool, users, sessions, factors, mails }: Parts, checkCode: CheckCode) {
  return async (person: Person, shown: ShownCode & { readonly client: SessionClient }): Promise<VerifiedCode> => {
    const [user, before] = [await users.find(person.userId), await sessions.find(person.sessionId)];
    if (user === undefined || before === undefined) throw sessionEnded();
    if (!user.hasFactor && !user.hasPendingFactor)
      throw new AppError('conflict', 'no second factor was started; PATCH /auth/profile with {two_factor: "start"}');
    const known = await sessions.knows(user.id, shown.client);
    // Before the transaction: a wrong code stays counted and a step stays spent, and no connection waits for another.
    const factor = await checkCode(pool, user, { ...shown, onlyConfirmed: before.state === 'half' });
    const { afterCommit, ...verified } = await inTransaction(pool, async (db) => {
      const isConfirmation = factor !== undefined && !factor.isConfirmed;
      const recoveryCodes = isConfirmation ? newRecoveryCodes() : [];
      if (isConfirmation) {
        await factors.confirm(db, user.id, factor.id);
        await factors.replaceRecoveryCodes(db, user.id, recoveryCodes.map(hashRecoveryCode));
        // Sessions from before the factor would not have shown a code.
        await sessions.endAll(db, user.id, person.sessionId);
      }
      const session = await rotateSession(sessions, db, { id: person.sessionId, codeShown: true });
      if (session === undefined) throw sessionEnded();
      const sends = [
        isConfirmation && { kind: 'factor_on' as const, to: user.email, name: user.name },
        factor === undefined && { kind: 'recovery_code_used' as const, to: user.email, name: user.name },
        before.state === 'half' && !known.ip && !known.userAgent && signInMail(user, shown.client),
      ];
      const send: (() => void)[] = [];
      for (const mail of sends) if (mail !== false) send.push(await mails.write(db, mail));
      return { session, recoveryCodes, afterCommit: send };
    });
    for (const send of afterCommit) send();
    return verified;
  };
}
