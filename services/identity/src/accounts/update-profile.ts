import type { Person } from '@tidemark/contracts';
import type { TwoFactorChange, UpdateProfileResponse } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { LIFETIMES, LIMITS } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../domain/recovery-code.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { newTotpSecret, otpauthUrl } from '../proofs/totp.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { CheckOwnPassword } from './reset-password.ts';
import { sessionEnded, toWireUser } from './view-session.ts';

export interface ProfileChange {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Undefined: no change. */
  readonly twoFactor?: TwoFactorChange | undefined;
  /** Language of the console; empty: that of the browser; undefined: no change. */
  readonly language?: string | undefined;
  /** Required for an address and the second factor. */
  readonly password: string;
}

type FactorChange = Pick<UpdateProfileResponse, 'secret' | 'otpauthUrl' | 'recoveryCodes'>;
const taken = () => new AppError('conflict', 'another account has this address');
const NO_CHANGE: FactorChange = { recoveryCodes: [] };

/** Changes name, address, language or second factor of a person. @throws AppError validation, conflict, rate_limited */
export type UpdateProfile = (person: Person, change: ProfileChange) => Promise<UpdateProfileResponse>;

export function makeUpdateProfile({
  pool,
  users,
  sessions,
  factors,
  tokens,
  attempts,
  mails,
  checkOwnPassword,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: FactorStore;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
  readonly checkOwnPassword: CheckOwnPassword;
}): UpdateProfile {
  return async (person, change) => {
    const user = await users.find(person.userId);
    if (user === undefined) throw sessionEnded();
    if (change.email !== undefined || change.twoFactor !== undefined)
      await checkOwnPassword(person, change.password, 'password');
    if (change.name !== undefined) await users.setName(user.id, change.name.trim());
    if (change.language !== undefined)
      await users.setLanguage(user.id, change.language === '' ? null : change.language);
    const pendingEmail = change.email === undefined ? undefined : await changeEmail(user, change.email);
    const factor = await changeFactor(user, { twoFactor: change.twoFactor, keepSession: person.sessionId });
    const changed = (await users.find(user.id)) ?? user;
    return { user: toWireUser(changed), pendingEmail, ...factor };
  };

  /** Mails a link to the new address and a notice to the old one; without a mail host the address changes at once, and is unproven. */
  async function changeEmail(user: UserView, given: string): Promise<string | undefined> {
    const email = normalizeEmail(given);
    if (email === user.email) return undefined;
    if (!mails.isOn) {
      await inTransaction(pool, async (db) => {
        if ((await users.accountsOf(email, db)).length > 0) throw taken();
        await users.setEmail(db, user.id, email, 'unproven');
        await writePersonAudit(db, user.id, 'email.changed', { detail: { proven: false } });
      }).catch((error: unknown) => {
        throw isUniqueViolation(error) ? taken() : error;
      });
      return undefined;
    }
    await attempts.take([{ limit: LIMITS.verifyOfAccount, of: user.id }]);
    const known = await users.findProven(email);
    const sends = await inTransaction(pool, async (db) => {
      const token = await tokens.create(db, { kind: 'email', userId: user.id, email, seconds: LIFETIMES.verify });
      const mail =
        known === undefined
          ? ({ kind: 'email_change', to: email, name: user.name, token } as const)
          : ({ kind: 'taken', to: email, name: known.name } as const);
      const notice = { kind: 'email_changing', to: user.email, name: user.name, otherEmail: email } as const;
      return [await mails.write(db, mail), await mails.write(db, notice)];
    });
    for (const send of sends) send();
    return email;
  }

  async function changeFactor(
    user: UserView,
    { twoFactor, keepSession }: { readonly twoFactor: TwoFactorChange | undefined; readonly keepSession: string },
  ): Promise<FactorChange> {
    const { id, email, name, hasFactor, hasApp, passkeys } = user;
    if (twoFactor === undefined) return NO_CHANGE;
    if (twoFactor === 'start') {
      const secret = newTotpSecret();
      await factors.start(id, secret);
      return { secret, otpauthUrl: otpauthUrl(secret, email), recoveryCodes: [] };
    }
    if (!hasFactor) throw new AppError('conflict', 'the second factor is off; expected two_factor "start"');
    const isOff = twoFactor === 'off';
    if (isOff && !hasApp)
      throw new AppError('conflict', 'there is no authenticator app; DELETE /auth/passkeys/{id} removes a passkey');
    const recoveryCodes = isOff ? [] : newRecoveryCodes();
    const send = await inTransaction(pool, async (db) => {
      if (isOff) {
        await (passkeys > 0 ? factors.deleteApps(db, id) : factors.deleteAll(db, id));
        await sessions.endAll(db, id, keepSession);
      } else await factors.replaceRecoveryCodes(db, id, recoveryCodes.map(hashRecoveryCode));
      await writePersonAudit(db, id, isOff ? 'second_factor.off' : 'recovery_codes.renewed');
      const off = passkeys > 0 ? 'app_removed' : 'factor_off';
      return mails.write(db, { kind: isOff ? off : 'codes_renewed', to: email, name });
    });
    send();
    return { ...NO_CHANGE, recoveryCodes };
  }
}
