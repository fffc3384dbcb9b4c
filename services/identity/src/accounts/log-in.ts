import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { type Attempt, addressGroup, LIMITS, ofAddress } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { CheckCode } from './check-code.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import type { RecordRefusal } from './record-refusal.ts';

export interface LogInRequest {
  readonly email: string;
  readonly password: string;
  /** Absent: none; a person with a second factor then gets a half session. */
  readonly code?: string | undefined;
  readonly client: SessionClient;
}

/** One message for an unknown address, a wrong password, an unverified and a disabled account. */
const refusal = () => new AppError('unauthorized', 'the address or the password is wrong');

/** Opens a session with address and password. @throws AppError unauthorized, rate_limited, validation (a wrong code) */
export type LogIn = (request: LogInRequest) => Promise<OpenedSession>;

export function makeLogIn({
  pool,
  users,
  sessions,
  attempts,
  passwords,
  mails,
  checkCode,
  recordRefusal,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly checkCode: CheckCode;
  readonly recordRefusal: RecordRefusal;
}): LogIn {
  return async ({ email: given, password, code, client }) => {
    const email = normalizeEmail(given);
    const accounts = await users.accountsOf(email);
    const [first] = accounts;
    const known = await sessions.knows(first?.id ?? '', client);
    const takeBack = await attempts.take(limitsOf(email, client, known.ip));
    const user = await accountWith(password, accounts);
    if (first !== undefined && user === undefined) recordRefusal(first.id, { reason: 'password', client });
    if (user === undefined || user.isDisabled) throw refusal();
    await takeBack();
    await rehash(user, password);
    const hasShownCode = user.hasFactor && code !== undefined;
    if (hasShownCode)
      await checkCode(pool, user, { code, onlyConfirmed: true }).catch((error: unknown) => {
        recordRefusal(user.id, { reason: 'code', client });
        throw error;
      });
    const state = user.hasFactor && !hasShownCode ? 'half' : 'full';
    const workspaceId = await sessions.lastWorkspace(user.id);
    const { session, afterCommit } = await inTransaction(pool, async (db) => {
      const opened = await openSession(sessions, db, { userId: user.id, workspaceId, state, hasShownCode, client });
      const before = user.id === first?.id ? known : await sessions.knows(user.id, client);
      const isNew = state === 'full' && !before.ip && !before.userAgent;
      const send = isNew ? await mails.write(db, signInMail(user, client)) : () => undefined;
      return { session: opened, afterCommit: send };
    });
    afterCommit();
    return session;
  };

  /** Returns the account with this password. An unknown address costs a verification, too. */
  async function accountWith(password: string, accounts: readonly UserView[]): Promise<UserView | undefined> {
    if (accounts.length === 0) await passwords.verify(undefined, password);
    for (const account of accounts) if (await passwords.verify(account.passwordHash, password)) return account;
    return undefined;
  }

  /** Hashes the password again where the parameters have grown since. A failure is ignored: the next sign-in tries again. */
  async function rehash({ id, passwordHash }: UserView, password: string): Promise<void> {
    if (passwordHash === null || !passwords.isOutdated(passwordHash)) return;
    await passwords
      .hash(password)
      .then((hash) => users.setPassword(pool, id, hash))
      .catch(() => undefined);
  }
}

/**
 * Returns the limits of a sign-in. The limit of the account over all addresses does not hold for an address that the person has signed in
 * from, so that others can not lock the person out.
 */
function limitsOf(email: string, { ip }: SessionClient, isKnown: boolean): Attempt[] {
  const group = addressGroup(ip);
  const limits = [
    { limit: LIMITS.loginOfAccountAndAddress, of: `${email} ${group}` },
    ...ofAddress(LIMITS.loginOfAddress, ip),
  ];
  return isKnown ? limits : [...limits, { limit: LIMITS.loginOfAccount, of: email }];
}

/** Returns the mail about a sign-in from a new address with a new program. */
export const signInMail = ({ email, name }: UserView, { ip, userAgent }: SessionClient) =>
  ({ kind: 'new_sign_in', to: email, name, ip, userAgent }) as const;
