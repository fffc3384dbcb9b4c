import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import { LIFETIMES, LIMITS, ofAddress, SIGN_IN_FRESH_SECONDS } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { checkPassword } from '../proofs/password-rules.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { invalidToken } from './verify-email.ts';
import { sessionEnded } from './view-session.ts';

/** Requests whose account is looked up in the background; more are refused. */
const MAX_PENDING = 100;
/** Delay of the query of the account, ms: the work for a known address then does not overlap with the response. */
const READ_ACCOUNT_AFTER_MS = 100;

/**
 * Mails a link to set a new password, if the address has an account; where nothing has proven the address, the link that proves it and reclaims
 * the account. The account is looked up after the response, so that the time of the response does not depend on it. @throws AppError rate_limited, unavailable, conflict without a mail host
 */
export type RequestReset = (request: { readonly email: string; readonly client: SessionClient }) => Promise<void>;

export function makeRequestReset({
  pool,
  users,
  tokens,
  attempts,
  mails,
  log,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
  readonly log: Logger;
}): RequestReset {
  let pending = 0;
  return async ({ email: given, client }) => {
    if (!mails.isOn)
      throw new AppError(
        'conflict',
        'no mail host is configured; the operator prints a link: npm run reset-link -- <address>',
      );
    const email = normalizeEmail(given);
    if (pending >= MAX_PENDING)
      throw new AppError('unavailable', 'too many requests at once; try again shortly', { retryAfterSeconds: 2 });
    await attempts.take([{ limit: LIMITS.resetOfAccount, of: email }, ...ofAddress(LIMITS.resetOfAddress, client.ip)]);
    pending += 1;
    void delay(READ_ACCOUNT_AFTER_MS, undefined, { ref: false })
      .then(() => sendLink(email))
      .catch((error: unknown) => log.warn({ err: messageOf(error) }, 'reset link was not mailed'))
      .finally(() => {
        pending -= 1;
      });
  };

  async function sendLink(email: string): Promise<void> {
    const [user] = await users.accountsOf(email);
    if (user === undefined || user.isDisabled) return;
    const kind = user.address === 'proven' ? 'reset' : 'verify';
    const send = await inTransaction(pool, async (db) => {
      const token = await tokens.create(db, { kind, userId: user.id, email, seconds: LIFETIMES[kind] });
      return mails.write(db, { kind, to: email, name: user.name, token });
    });
    send();
  }
}

/** Sets a password with the token of a mail or of the operator, and ends every session. The second factor stays. @throws AppError not_found */
export type ResetPassword = (request: { token: string; password: string; client: SessionClient }) => Promise<void>;

export function makeResetPassword({
  pool,
  users,
  sessions,
  tokens,
  attempts,
  passwords,
  mails,
  settings,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
}): ResetPassword {
  return async (request) => {
    await attempts.take(ofAddress(LIMITS.tokensOfAddress, request.client.ip));
    const found = await tokens.find(request.token);
    const user = found?.userId == null || found.kind !== 'reset' ? undefined : await users.find(found.userId);
    if (user === undefined) throw invalidToken();
    checkPassword(request.password, user, settings.passwordMin);
    const hash = await passwords.hash(request.password);
    const send = await inTransaction(pool, async (db) => {
      const token = await tokens.spend(db, request.token, ['reset']);
      if (token === undefined || token.email !== user.email) throw invalidToken();
      await users.setPassword(db, user.id, hash);
      await writePersonAudit(db, user.id, 'password.reset');
      await sessions.endAll(db, user.id);
      return mails.write(db, { kind: 'password_changed', to: user.email, name: user.name });
    });
    send();
  };
}

/** Changes the password of a signed-in person and ends the other sessions. @throws AppError validation (400), rate_limited */
export type ChangePassword = (person: Person, request: { current: string; password: string }) => Promise<void>;

export function makeChangePassword({
  pool,
  users,
  sessions,
  passwords,
  mails,
  settings,
  checkOwnPassword,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
} & { readonly checkOwnPassword: CheckOwnPassword }): ChangePassword {
  return async (person, { current, password }) => {
    const user = await users.find(person.userId);
    if (user === undefined) throw sessionEnded();
    await checkOwnPassword(person, current, 'current');
    checkPassword(password, user, settings.passwordMin);
    const hash = await passwords.hash(password);
    const send = await inTransaction(pool, async (db) => {
      await users.setPassword(db, user.id, hash);
      await writePersonAudit(db, user.id, 'password.changed');
      await sessions.endAll(db, user.id, person.sessionId);
      return mails.write(db, { kind: 'password_changed', to: user.email, name: user.name });
    });
    send();
  };
}

/**
 * Checks the password that a signed-in person enters again. A person without a password has signed in within ten minutes instead.
 * @throws AppError validation (400), rate_limited
 */
export type CheckOwnPassword = (person: Person, password: string, field: string) => Promise<void>;

export function makeCheckOwnPassword({
  users,
  sessions,
  attempts,
  passwords,
}: {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
}): CheckOwnPassword {
  return async ({ userId, sessionId }, password, field) => {
    const takeBack = await attempts.take([{ limit: LIMITS.passwordChecks, of: userId }]);
    const user = await users.find(userId);
    if (user !== undefined && user.passwordHash === null) {
      if (!(await sessions.isRecent(sessionId, SIGN_IN_FRESH_SECONDS))) throw signInAgain();
      return takeBack();
    }
    if (!(await passwords.verify(user?.passwordHash, password)))
      throw new AppError('validation', `${field}: the password is wrong`, {
        httpStatus: 400,
        detail: [{ loc: ['body', field], msg: 'the password is wrong', type: 'wrong_password' }],
      });
    await takeBack();
  };
}

const signInAgain = () =>
  new AppError(
    'validation',
    'your account has no password: sign out, sign in again, and repeat this within ten minutes',
    {
      httpStatus: 400,
    },
  );
