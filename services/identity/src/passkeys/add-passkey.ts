import { newId, type Person } from '@tidemark/contracts';
import type { PasskeyAttestation, Site } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { type OpenedSession, rotateSession } from '../accounts/open-session.ts';
import type { CheckOwnPassword } from '../accounts/reset-password.ts';
import { sessionEnded } from '../accounts/view-session.ts';
import { LIFETIMES, MAX_PASSKEYS } from '../domain/limits.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../domain/recovery-code.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { NewPasskey, PasskeyRecord, PasskeyStore } from '../store/passkey-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore } from '../store/user-store.ts';
import { refusedPasskey, spender, verified } from './verify-passkey.ts';
import type { WebAuthn } from './webauthn.ts';

export interface AddPasskeyRequest {
  /** Absent: Passkey. */
  readonly name: string | undefined;
  readonly attestation: PasskeyAttestation;
  readonly site: Site;
}

export interface AddedPasskey {
  readonly passkey: PasskeyRecord;
  /** With a new token. */
  readonly session: OpenedSession;
  /** Not empty if the passkey is the first factor of the person. */
  readonly recoveryCodes: readonly string[];
}

/** Issues the challenge of a new passkey, to a person who enters the password. @throws AppError validation (400), conflict, rate_limited */
export type StartPasskey = (
  person: Person,
  request: { readonly password: string; readonly site: Site },
) => Promise<string>;

export function makeStartPasskey({
  pool,
  users,
  passkeys,
  tokens,
  webauthn,
  checkOwnPassword,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly passkeys: PasskeyStore;
  readonly tokens: TokenStore;
  readonly webauthn: WebAuthn;
  readonly checkOwnPassword: CheckOwnPassword;
}): StartPasskey {
  return async (person, { password, site }) => {
    const user = await users.find(person.userId);
    if (user === undefined) throw sessionEnded();
    await checkOwnPassword(person, password, 'password');
    const known = await passkeys.list(user.id);
    if (known.length >= MAX_PASSKEYS) throw tooMany();
    const challenge = await tokens.create(pool, {
      kind: 'passkey_new',
      userId: user.id,
      email: '',
      seconds: LIFETIMES.challenge,
    });
    return webauthn.creationOptions(user, { rpId: site.rpId, challenge, known });
  };
}

/**
 * Stores a new passkey. The first factor of a person comes with recovery codes and ends the other sessions, which have shown no factor.
 * @throws AppError validation (400), conflict
 */
export type AddPasskey = (person: Person, request: AddPasskeyRequest) => Promise<AddedPasskey>;

export function makeAddPasskey({
  pool,
  users,
  sessions,
  factors,
  passkeys,
  tokens,
  mails,
  webauthn,
  log,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: FactorStore;
  readonly passkeys: PasskeyStore;
  readonly tokens: TokenStore;
  readonly mails: AccountMails;
  readonly webauthn: WebAuthn;
  readonly log: Logger;
}): AddPasskey {
  return async (person, { name, attestation, site }) => {
    const spend = spender({ pool, tokens }, 'passkey_new', person.userId);
    const device = await verified(log, webauthn.verifyNew(attestation, { site, spend }));
    if (device === undefined) throw refusedPasskey();
    const passkey = {
      ...device,
      id: newId('psk'),
      userId: person.userId,
      rpId: site.rpId,
      name: name?.trim() || 'Passkey',
    };
    try {
      const { send, ...added } = await inTransaction(pool, (db) =>
        store({ users, passkeys, factors, sessions, mails }, db, { person, passkey }),
      );
      send();
      return added;
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('conflict', 'this passkey belongs to an account already');
      throw error;
    }
  };
}

async function store(
  {
    users,
    passkeys,
    factors,
    sessions,
    mails,
  }: {
    readonly users: UserStore;
    readonly passkeys: PasskeyStore;
    readonly factors: FactorStore;
    readonly sessions: SessionStore;
    readonly mails: AccountMails;
  },
  db: pg.PoolClient,
  { person, passkey }: { readonly person: Person; readonly passkey: NewPasskey },
) {
  await users.lock(db, person.userId);
  const user = await users.find(person.userId, db);
  if (user === undefined) throw sessionEnded();
  if (user.passkeys >= MAX_PASSKEYS) throw tooMany();
  const added = await passkeys.add(db, passkey);
  await writePersonAudit(db, user.id, 'passkey.added');
  const recoveryCodes = user.hasFactor ? [] : newRecoveryCodes();
  if (!user.hasFactor) {
    await factors.replaceRecoveryCodes(db, user.id, recoveryCodes.map(hashRecoveryCode));
    await sessions.endAll(db, user.id, person.sessionId);
  }
  const session = await rotateSession(sessions, db, { id: person.sessionId, codeShown: true });
  if (session === undefined) throw sessionEnded();
  const mail = { kind: 'passkey_added', to: user.email, name: user.name, passkeyName: passkey.name } as const;
  return { passkey: added, session, recoveryCodes, send: await mails.write(db, mail) };
}

const tooMany = () => new AppError('conflict', `an account has at most ${MAX_PASSKEYS} passkeys; remove one first`);
