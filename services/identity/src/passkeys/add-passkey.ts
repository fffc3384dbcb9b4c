import { type Account, newId } from '@tidemark/contracts';
import type { PasskeyAttestation, Site } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { isUniqueViolation } from '../accounts/account-parts.ts';
import { type OpenedSession, rotateSession } from '../accounts/open-session.ts';
import { makeCheckOwnPassword } from '../accounts/reset-password.ts';
import { sessionEnded } from '../accounts/view-session.ts';
import { LIFETIMES, MAX_PASSKEYS } from '../domain/limits.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../domain/recovery-code.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { NewPasskey, PasskeyRecord } from '../store/passkey-store.ts';
import { type PasskeyParts, refusedPasskey, spender, verified } from './passkey-parts.ts';

export interface AddPasskey {
  readonly name: string;
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
export function makeStartPasskey(parts: PasskeyParts) {
  const { pool, users, passkeys, tokens, webauthn } = parts;
  const checkOwnPassword = makeCheckOwnPassword(parts);
  return async (
    person: Account,
    { password, site }: { readonly password: string; readonly site: Site },
  ): Promise<string> => {
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
export function makeAddPasskey(parts: PasskeyParts) {
  const { pool, webauthn, log } = parts;
  return async (person: Account, { name, attestation, site }: AddPasskey): Promise<AddedPasskey> => {
    const spend = spender(parts, 'passkey_new', person.userId);
    const device = await verified(log, webauthn.verifyNew(attestation, { site, spend }));
    if (device === undefined) throw refusedPasskey();
    const passkey = {
      ...device,
      id: newId('psk'),
      userId: person.userId,
      rpId: site.rpId,
      name: name.trim() || 'Passkey',
    };
    try {
      const { send, ...added } = await inTransaction(pool, (db) => store(parts, db, { person, passkey }));
      send();
      return added;
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('conflict', 'this passkey belongs to an account already');
      throw error;
    }
  };
}

async function store(
  { users, passkeys, factors, sessions, mails }: PasskeyParts,
  db: pg.PoolClient,
  { person, passkey }: { readonly person: Account; readonly passkey: NewPasskey },
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
