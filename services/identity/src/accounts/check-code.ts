import type { PasskeyAssertion, Site } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type pg from 'pg';
import { type Attempt, LIMITS } from '../domain/limits.ts';
import { hashRecoveryCode } from '../domain/recovery-code.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { stepOf } from '../proofs/totp.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorRecord, FactorStore } from '../store/factor-store.ts';
import type { Queryable } from '../store/queryable.ts';
import type { UserView } from '../store/user-store.ts';

/** A code of the second factor or, in its place, a recovery code. */
export interface ShownCode {
  readonly code?: string;
  readonly recoveryCode?: string;
  /** Refuses the code of a factor that is not confirmed: it completes no sign-in. */
  readonly onlyConfirmed?: boolean;
}

/** A use of a passkey, in place of a code. */
export interface ShownPasskey {
  readonly assertion: PasskeyAssertion;
  readonly site: Site;
}

/** Checks a passkey of the person and spends its challenge. @throws AppError validation (400) */
export type CheckPasskey = (user: UserView, shown: ShownPasskey) => Promise<void>;

/** The factor whose code was right; undefined for a recovery code. */
export type CheckCode = (db: Queryable, user: UserView, shown: ShownCode) => Promise<FactorRecord | undefined>;

/**
 * Makes the check of a code: of the confirmed factor, or of a pending one, which the caller then confirms. Counts wrong codes, and mails the
 * person when too many were wrong. @throws AppError validation (400), rate_limited
 */
export function makeCheckCode({
  pool,
  factors,
  attempts,
  mails,
  now,
}: {
  readonly pool: pg.Pool;
  readonly factors: FactorStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
  readonly now: () => Date;
}): CheckCode {
  return async (db, user, shown) => {
    const counted = attemptsOf(user.id);
    const takeBack = await attempts.take(counted).catch(async (error: unknown) => {
      await reportOnce(user);
      throw error;
    });
    const { isRight, factor } = await check(db, user, shown);
    if (!isRight)
      throw new AppError('validation', 'the code is wrong, was used before, or has expired', { httpStatus: 400 });
    await takeBack();
    return factor;
  };

  async function check(
    db: Queryable,
    user: UserView,
    { code = '', recoveryCode = '', onlyConfirmed = false }: ShownCode,
  ) {
    if (recoveryCode !== '')
      return {
        isRight: user.hasFactor && (await factors.spendRecoveryCode(db, user.id, hashRecoveryCode(recoveryCode))),
        factor: undefined,
      };
    for (const factor of await factors.list(user.id)) {
      if (onlyConfirmed && !factor.isConfirmed) continue;
      const step = stepOf(factor.secret, code, now());
      if (step !== undefined) return { isRight: await factors.spendStep(db, factor.id, step), factor };
    }
    return { isRight: false, factor: undefined };
  }

  /** Mails the person at the first refusal of a day. */
  async function reportOnce({ id, email, name }: UserView): Promise<void> {
    const isFirst = await attempts.take([{ limit: { name: 'code-mail', max: 1, seconds: 86_400 }, of: id }]).then(
      () => true,
      () => false,
    );
    if (isFirst) (await mails.write(pool, { kind: 'wrong_codes', to: email, name }))();
  }
}

const attemptsOf = (userId: string): Attempt[] => [
  { limit: LIMITS.codes, of: userId },
  { limit: LIMITS.codesOfDay, of: userId },
];
