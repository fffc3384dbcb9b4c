import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorStore } from '../store/factor-store.ts';
import { SessionStore } from '../store/session-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { UserStore } from '../store/user-store.ts';
import type { AccountSettings } from './account-settings.ts';
import {
  type ChangePassword,
  type CheckOwnPassword,
  makeChangePassword,
  makeRequestReset,
  makeResetPassword,
  type RequestReset,
  type ResetPassword,
} from './reset-password.ts';
import { makeUpdateProfile, type UpdateProfile } from './update-profile.ts';

/** The use cases that change password, address or second factor. */
export interface Credentials {
  readonly requestReset: RequestReset;
  readonly resetPassword: ResetPassword;
  readonly changePassword: ChangePassword;
  readonly updateProfile: UpdateProfile;
}

/** Makes the use cases that change password, address or second factor, with their stores. */
export function makeCredentials({
  pool,
  factors,
  passwords,
  mails,
  settings,
  checkOwnPassword,
  log,
}: {
  readonly pool: pg.Pool;
  readonly factors: FactorStore;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly checkOwnPassword: CheckOwnPassword;
  readonly log: Logger;
}): Credentials {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const tokens = new TokenStore(pool);
  const attempts = new AttemptCounter(pool);
  return {
    requestReset: makeRequestReset({ pool, users, tokens, attempts, mails, log }),
    resetPassword: makeResetPassword({ pool, users, sessions, tokens, attempts, passwords, mails, settings }),
    changePassword: makeChangePassword({ pool, users, sessions, passwords, mails, settings, checkOwnPassword }),
    updateProfile: makeUpdateProfile({ pool, users, sessions, factors, tokens, attempts, mails, checkOwnPassword }),
  };
}
