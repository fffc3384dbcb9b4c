import type { Person } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { LIFETIMES, LIMITS, ofAddress } from '../domain/limits.ts';
import { hashToken, isToken } from '../domain/secret-token.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { checkPassword } from '../proofs/password-rules.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import type { SessionClient, SessionRecord, SessionStore } from '../store/session-store.ts';
import type { TokenRecord, TokenStore } from '../store/token-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import type { ReclaimAccount } from './reclaim-account.ts';

export interface VerifyEmailRequest {
  readonly token: string;
  /** Empty: none. */
  readonly password: string;
  /** Token of the session of the request; empty: none. */
  readonly sessionToken?: string | undefined;
  readonly client: SessionClient;
}

type AfterCommit = () => void;

/** Mails the verification link of an account whose address is not proven again. @throws AppError rate_limited */
export type RequestVerification = (person: Person) => Promise<void>;

export function makeRequestVerification({
  pool,
  users,
  tokens,
  attempts,
  mails,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
}): RequestVerification {
  return async ({ userId }) => {
    const user = await users.find(userId);
    if (user === undefined || user.address === 'proven') return;
    await attempts.take([{ limit: LIMITS.verifyOfAccount, of: user.email }]);
    const known = await users.findProven(user.email);
    const token = await tokens.create(pool, {
      kind: 'verify',
      userId,
      email: user.email,
      seconds: LIFETIMES.verify,
    });
    // As at sign-up: the owner of a taken address gets no link to this account.
    const mail =
      known === undefined
        ? ({ kind: 'verify', to: user.email, name: user.name, token } as const)
        : ({ kind: 'taken', to: user.email, name: known.name } as const);
    (await mails.write(pool, mail))();
  };
}

/**
 * Spends the token of a mail: the address of an account, a new address, or the undo of one. An account that is verified from elsewhere than its
 * own session may be another person's: it is reclaimed, and gets a new password.
 * @returns the session, with a new token; undefined: the person signs in
 * @throws AppError not_found, conflict, validation, rate_limited
 */
export type VerifyEmail = (request: VerifyEmailRequest) => Promise<OpenedSession | undefined>;

export function makeVerifyEmail({
  pool,
  users,
  sessions,
  factors,
  tokens,
  welcome,
  attempts,
  passwords,
  mails,
  settings,
  reclaimAccount,
  send,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: FactorStore;
  readonly tokens: TokenStore;
  readonly welcome: WelcomeStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly reclaimAccount: ReclaimAccount;
  readonly send: SendEvents;
}): VerifyEmail {
  return async (request) => {
    await attempts.take(ofAddress(LIMITS.tokensOfAddress, request.client.ip));
    const found = await tokens.find(request.token);
    const user = found?.userId == null ? undefined : await users.find(found.userId);
    if (found === undefined || user === undefined) throw invalidToken();
    const own = await sessionOf(request.sessionToken, user);
    const password = found.kind === 'verify' && own === undefined ? await newPassword(request.password, user) : '';
    try {
      const { session, afterCommit } = await inTransaction(pool, (db) =>
        applyToken(db, { request, user, own, password }),
      );
      afterCommit();
      return session;
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AppError('conflict', 'this address already belongs to an account; sign in, or reset the password');
      throw error;
    }
  };

  async function newPassword(password: string, user: UserView): Promise<string> {
    if (password === '')
      throw new AppError('validation', 'password: expected, because this is not the browser that signed up', {
        detail: [{ loc: ['body', 'password'], msg: 'required', type: 'required' }],
      });
    checkPassword(password, user, settings.passwordMin);
    return passwords.hash(password);
  }

  async function sessionOf(token: string | undefined, user: UserView): Promise<SessionRecord | undefined> {
    const session = token !== undefined && isToken(token) ? await sessions.findByToken(hashToken(token)) : undefined;
    return session?.userId === user.id && session.state === 'full' ? session : undefined;
  }

  /** Spends the token with its effects. */
  async function applyToken(db: pg.PoolClient, { request, user, own, password }: Verification) {
    const token = await tokens.spend(db, request.token, ['verify', 'email', 'undo']);
    if (token === undefined) throw invalidToken();
    await users.setEmail(db, user.id, token.email, 'proven');
    const afterCommit = await effectsOf(db, { token, user, password });
    if (own === undefined || token.kind === 'undo') return { session: undefined, afterCommit };
    return { session: await rotateSession(sessions, db, { id: own.id }), afterCommit };
  }

  async function effectsOf(
    db: pg.PoolClient,
    { token, user, password }: Pick<Verification, 'user' | 'password'> & { readonly token: TokenRecord },
  ): Promise<AfterCommit> {
    if (token.kind === 'verify') {
      const workspaceId = await welcome.firstOwned(db, user.id);
      const outgoing =
        workspaceId === undefined ? [] : await welcome.grant(db, { userId: user.id, email: token.email, workspaceId });
      const announce = password === '' ? () => undefined : await reclaim(db, user, password);
      return () => {
        send(outgoing);
        announce();
      };
    }
    await writePersonAudit(db, user.id, 'email.changed');
    // A link to an address that nothing had proven would give the account to its reader.
    if (token.kind === 'email')
      return user.address === 'proven' ? announceChange(db, { user, email: token.email }) : () => undefined;
    await undoChange(db, user);
    return () => undefined;
  }

  async function reclaim(db: pg.PoolClient, { id, email, name }: UserView, password: string): Promise<AfterCommit> {
    const events = await reclaimAccount(db, id);
    await users.setPassword(db, id, password);
    const sendMail = await mails.write(db, { kind: 'account_reclaimed', to: email, name });
    return () => {
      send(events);
      sendMail();
    };
  }

  /** Mails the old address, with a link that restores it. */
  async function announceChange(
    db: pg.PoolClient,
    { user, email }: { readonly user: UserView; readonly email: string },
  ): Promise<AfterCommit> {
    const undo = await tokens.create(db, {
      kind: 'undo',
      userId: user.id,
      email: user.email,
      seconds: LIFETIMES.undo,
    });
    const { email: to, name } = user;
    return mails.write(db, { kind: 'email_changed', to, name, otherEmail: email, token: undo });
  }

  /** After an undo the password counts as known to others: the person sets a new one through the restored address. */
  async function undoChange(db: pg.PoolClient, user: UserView): Promise<void> {
    await users.setPassword(db, user.id, null);
    await factors.deleteAll(db, user.id);
    await tokens.deleteOf(db, user.id, ['email', 'reset']);
    await sessions.endAll(db, user.id);
  }
}
interface Verification {
  readonly request: VerifyEmailRequest;
  readonly user: UserView;
  /** The session of the request, if it is the person's. */
  readonly own: SessionRecord | undefined;
  /** Hash of the new password; empty: unchanged. */
  readonly password: string;
}

export const invalidToken = (): AppError =>
  new AppError('not_found', 'this link is invalid, used or expired; request a new one');
