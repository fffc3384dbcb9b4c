import type { Person } from '@tidemark/contracts';
import type { PasskeyAssertion, Site } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { CheckPasskey } from '../accounts/check-code.ts';
import { signInMail } from '../accounts/log-in.ts';
import { type OpenedSession, openSession } from '../accounts/open-session.ts';
import { LIFETIMES, LIMITS, ofAddress } from '../domain/limits.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import type { PasskeyRecord, PasskeyStore } from '../store/passkey-store.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { TokenKind, TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';
import { refusedPasskey, spender, verified } from './verify-passkey.ts';
import type { WebAuthn } from './webauthn.ts';

export interface PasskeyLogIn {
  readonly assertion: PasskeyAssertion;
  readonly site: Site;
  readonly client: SessionClient;
}

/** Issues the challenge with which a person shows a passkey in place of a code. @throws AppError conflict without a passkey here */
export type StartPasskeyCheck = (person: Person, site: Site) => Promise<string>;

export function makeStartPasskeyCheck({
  pool,
  passkeys,
  tokens,
  webauthn,
}: {
  readonly pool: pg.Pool;
  readonly passkeys: PasskeyStore;
  readonly tokens: TokenStore;
  readonly webauthn: WebAuthn;
}): StartPasskeyCheck {
  return async ({ userId }, { rpId }) => {
    const known = (await passkeys.list(userId)).filter((one) => one.rpId === rpId);
    if (known.length === 0)
      throw new AppError('conflict', `you have no passkey for ${rpId}; show a code of your app or a recovery code`);
    const challenge = await tokens.create(pool, {
      kind: 'passkey_check',
      userId,
      email: '',
      seconds: LIFETIMES.challenge,
    });
    return webauthn.requestOptions({ rpId, challenge, known, mustVerifyUser: false });
  };
}

/** Issues the challenge of a sign-in. It names no passkey, so that it reveals none. @throws AppError rate_limited */
export type StartPasskeyLogIn = (passkeyLogIn: Pick<PasskeyLogIn, 'site' | 'client'>) => Promise<string>;

export function makeStartPasskeyLogIn({
  pool,
  attempts,
  tokens,
  webauthn,
}: {
  readonly pool: pg.Pool;
  readonly attempts: AttemptCounter;
  readonly tokens: TokenStore;
  readonly webauthn: WebAuthn;
}): StartPasskeyLogIn {
  return async ({ site: { rpId }, client }) => {
    await attempts.take(ofAddress(LIMITS.challengesOfAddress, client.ip));
    const challenge = await tokens.create(pool, { kind: 'passkey_login', email: '', seconds: LIFETIMES.challenge });
    return webauthn.requestOptions({ rpId, challenge, mustVerifyUser: true });
  };
}

/** Makes the check of a passkey that a person shows in place of a code. @throws AppError validation (400) */
export function makeCheckPasskey(verifier: PasskeyVerifier): CheckPasskey {
  return async (user, { assertion, site }) => {
    const use = { assertion, site, kind: 'passkey_check', userId: user.id, mustVerifyUser: false } as const;
    if ((await verifyUse(verifier, use))?.userId !== user.id) throw refusedPasskey();
  };
}

/**
 * Opens a session with a passkey alone. The authenticator has verified its user, so that the passkey is two factors.
 * @throws AppError unauthorized, rate_limited
 */
export type LogInWithPasskey = (passkeyLogIn: PasskeyLogIn) => Promise<OpenedSession>;

export function makeLogInWithPasskey({
  users,
  sessions,
  attempts,
  mails,
  verifier,
}: {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
  readonly verifier: PasskeyVerifier;
}): LogInWithPasskey {
  return async ({ assertion, site, client }) => {
    const takeBack = await attempts.take(ofAddress(LIMITS.loginOfAddress, client.ip));
    const use = { assertion, site, kind: 'passkey_login', userId: null, mustVerifyUser: true } as const;
    const passkey = await verifyUse(verifier, use);
    const user = passkey && (await users.find(passkey.userId));
    if (user === undefined || user.isDisabled || user.address === 'pending') throw refusal();
    await takeBack();
    const known = await sessions.knows(user.id, client);
    const workspaceId = await sessions.lastWorkspace(user.id);
    const { session, send } = await inTransaction(verifier.pool, async (db) => {
      const full = { userId: user.id, workspaceId, state: 'full', hasShownCode: true, client } as const;
      const opened = await openSession(sessions, db, full);
      const isNew = !known.ip && !known.userAgent;
      return { session: opened, send: isNew ? await mails.write(db, signInMail(user, client)) : () => undefined };
    });
    send();
    return session;
  };
}

/** What the verification of a passkey reads and writes. */
export interface PasskeyVerifier {
  readonly pool: pg.Pool;
  readonly passkeys: PasskeyStore;
  readonly tokens: TokenStore;
  readonly webauthn: WebAuthn;
  readonly log: Logger;
}

interface Use {
  readonly assertion: PasskeyAssertion;
  readonly site: Site;
  readonly kind: TokenKind;
  /** The person that the challenge was issued to; null: a sign-in. */
  readonly userId: string | null;
  readonly mustVerifyUser: boolean;
}

/** Verifies a use and records it. @returns undefined if it is refused */
async function verifyUse(
  { pool, passkeys, tokens, webauthn, log }: PasskeyVerifier,
  use: Use,
): Promise<PasskeyRecord | undefined> {
  const { assertion, site, mustVerifyUser } = use;
  const passkey = await passkeys.findByCredential(Buffer.from(assertion.id, 'base64url'));
  if (passkey === undefined || passkey.rpId !== site.rpId) return undefined;
  const spend = spender({ pool, tokens }, use.kind, use.userId);
  const counter = await verified(log, webauthn.verifyUse(assertion, { passkey, site, spend, mustVerifyUser }));
  return counter !== undefined && (await passkeys.recordUse(passkey.id, counter)) ? passkey : undefined;
}

const refusal = () =>
  new AppError('unauthorized', 'the passkey was not accepted; sign in with address and password, or try again');
