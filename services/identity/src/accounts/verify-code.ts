import type { Person } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { hashRecoveryCode, newRecoveryCodes } from '../domain/recovery-code.ts';
import type { AccountMail, AccountMails } from '../mail/account-mails.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { CheckCode, CheckPasskey, ShownCode, ShownPasskey } from './check-code.ts';
import { signInMail } from './log-in.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import type { RecordRefusal } from './record-refusal.ts';
import { sessionEnded } from './view-session.ts';

/** A session with a new token, and the recovery codes of a factor that was confirmed. */
export interface VerifiedCode {
  readonly session: OpenedSession;
  readonly recoveryCodes: readonly string[];
}

export interface VerifyCodeRequest extends ShownCode {
  /** In place of a code. */
  readonly passkey?: ShownPasskey | undefined;
  readonly client: SessionClient;
}

/**
 * Checks a code or a passkey: completes a sign-in, confirms a factor that was started, or renews the freshness of the session.
 * @throws AppError validation (400), rate_limited, conflict without a factor
 */
export type VerifyCode = (person: Person, request: VerifyCodeRequest) => Promise<VerifiedCode>;

export function makeVerifyCode({
  pool,
  users,
  sessions,
  factors,
  mails,
  checkCode,
  checkPasskey,
  recordRefusal,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: FactorStore;
  readonly mails: AccountMails;
  readonly checkCode: CheckCode;
  readonly checkPasskey: CheckPasskey;
  readonly recordRefusal: RecordRefusal;
}): VerifyCode {
  return async (person, { passkey, client, ...shown }) => {
    const [user, before] = [await users.find(person.userId), await sessions.find(person.sessionId)];
    if (user === undefined || before === undefined) throw sessionEnded();
    if (!user.hasFactor && !user.hasPendingFactor)
      throw new AppError('conflict', 'no second factor was started; PATCH /auth/profile with {two_factor: "start"}');
    const known = await sessions.knows(user.id, client);
    // Before the transaction: a wrong code stays counted and a step stays spent, and no connection waits for another.
    const isSignIn = before.state === 'half';
    const checked =
      passkey === undefined
        ? checkCode(pool, user, { ...shown, onlyConfirmed: isSignIn })
        : checkPasskey(user, passkey).then(() => undefined);
    const factor = await checked.catch((error: unknown) => {
      if (isSignIn) recordRefusal(user.id, { reason: passkey === undefined ? 'code' : 'passkey', client });
      throw error;
    });
    const { afterCommit, ...verified } = await inTransaction(pool, async (db) => {
      const isConfirmation = factor !== undefined && !factor.isConfirmed;
      const recoveryCodes = isConfirmation ? await confirmFactor(db, person, factor.id) : [];
      const session = await rotateSession(sessions, db, { id: person.sessionId, codeShown: true });
      if (session === undefined) throw sessionEnded();
      const isRecovery = passkey === undefined && factor === undefined;
      const isNewClient = isSignIn && !known.ip && !known.userAgent;
      const send: (() => void)[] = [];
      for (const mail of mailsAfter({ isConfirmation, isRecovery, isNewClient }, user, client))
        send.push(await mails.write(db, mail));
      return { session, recoveryCodes, afterCommit: send };
    });
    for (const send of afterCommit) send();
    return verified;
  };

  /** @returns the recovery codes */
  async function confirmFactor(db: pg.PoolClient, { userId, sessionId }: Person, id: string): Promise<string[]> {
    const recoveryCodes = newRecoveryCodes();
    await factors.confirm(db, userId, id);
    await writePersonAudit(db, userId, 'second_factor.on');
    await factors.replaceRecoveryCodes(db, userId, recoveryCodes.map(hashRecoveryCode));
    // Sessions from before the factor would not have shown a code.
    await sessions.endAll(db, userId, sessionId);
    return recoveryCodes;
  }
}

interface Verification {
  /** A factor that was started is confirmed. */
  readonly isConfirmation: boolean;
  /** A recovery code was used. */
  readonly isRecovery: boolean;
  /** It completes a sign-in from an IP address and a browser without earlier sessions. */
  readonly isNewClient: boolean;
}

/** Returns the mails about a verification. */
function mailsAfter(
  { isConfirmation, isRecovery, isNewClient }: Verification,
  user: UserView,
  client: SessionClient,
): AccountMail[] {
  const to = { to: user.email, name: user.name };
  return [
    ...(isConfirmation ? [{ kind: 'factor_on' as const, ...to }] : []),
    ...(isRecovery ? [{ kind: 'recovery_code_used' as const, ...to }] : []),
    ...(isNewClient ? [signInMail(user, client)] : []),
  ];
}
