import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorStore } from '../store/factor-store.ts';
import { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { SessionStore } from '../store/session-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { UserStore } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { makeReclaimAccount } from './reclaim-account.ts';
import { makeSignUp, type SignUp } from './sign-up.ts';
import {
  makeRequestVerification,
  makeVerifyEmail,
  type RequestVerification,
  type VerifyEmail,
} from './verify-email.ts';

/** The use cases that create an account and verify its address. */
export interface SignUps {
  readonly signUp: SignUp;
  readonly requestVerification: RequestVerification;
  readonly verifyEmail: VerifyEmail;
}

/** Makes the use cases that create an account and verify its address, with their stores. */
export function makeSignUps({
  pool,
  factors,
  passwords,
  mails,
  settings,
  welcome,
  send,
}: {
  readonly pool: pg.Pool;
  readonly factors: FactorStore;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly welcome: WelcomeStore;
  readonly send: SendEvents;
}): SignUps {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const tokens = new TokenStore(pool);
  const members = new MemberStore(pool);
  const workspaces = new WorkspaceStore(pool);
  const attempts = new AttemptCounter(pool);
  return {
    signUp: makeSignUp({
      pool,
      users,
      sessions,
      tokens,
      members,
      workspaces,
      welcome,
      attempts,
      passwords,
      mails,
      settings,
      send,
    }),
    requestVerification: makeRequestVerification({ pool, users, tokens, attempts, mails }),
    verifyEmail: makeVerifyEmail({
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
      reclaimAccount: makeReclaimAccount({
        users,
        factors,
        sessions,
        tokens,
        members,
      }),
      send,
    }),
  };
}
