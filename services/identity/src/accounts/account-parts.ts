import type { Account } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorStore } from '../store/factor-store.ts';
import type { InviteStore } from '../store/invite-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { PasskeyStore } from '../store/passkey-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';

/** Policies of sign-up. `invite`: with an invitation or the operator's link; `closed`: with the operator's link only. */
export const SIGN_UP = ['open', 'invite', 'closed'] as const;

export interface AccountSettings {
  readonly signUp: (typeof SIGN_UP)[number];
  readonly passwordMin: number;
  /** Plan of the workspace that a sign-up creates. */
  readonly defaultPlan: string;
}

/** The parts that the use cases of accounts are built from; each names those it needs. */
export interface AccountParts {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: FactorStore;
  readonly passkeys: PasskeyStore;
  readonly tokens: TokenStore;
  readonly members: MemberStore;
  readonly invites: InviteStore;
  readonly workspaces: WorkspaceStore;
  readonly welcome: WelcomeStore;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly now: () => Date;
}

/** Returns the signed-in person of a call, in a workspace or in none. @throws AppError forbidden for a key, unauthorized without caller */
export function accountOf(ctx: CallContext): Account {
  if (ctx.account !== undefined) return ctx.account;
  const caller = callerOf(ctx);
  if (caller.kind === 'person') return caller;
  throw new AppError('forbidden', 'this route concerns a signed-in person; an API key can not use it');
}

/** Lower-cases an address, so that one mailbox has one account. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Returns whether an error is the violation of a unique index: another request was first. */
export const isUniqueViolation = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505';
