import { type Logger, PeriodicTask } from '@tidemark/service';
import { LIFETIMES } from '../domain/limits.ts';
import type { AuditLog } from '../store/audit-log.ts';
import type { ChildStore } from '../store/child-store.ts';
import type { RequestLog } from '../store/request-log.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { UserStore } from '../store/user-store.ts';

const SWEEP_MS = 10 * 60_000;

interface Deps {
  readonly users: Pick<UserStore, 'deleteUnverified'>;
  readonly sessions: Pick<SessionStore, 'deleteExpired'>;
  readonly tokens: Pick<TokenStore, 'deleteExpired'>;
  readonly children: Pick<ChildStore, 'deleteOld'>;
  readonly audit: Pick<AuditLog, 'deleteOld'>;
  readonly requests: Pick<RequestLog, 'deleteOld'>;
  /** Days for which requests are kept. */
  readonly requestDays: number;
  readonly log: Logger;
}

/** Deletes expired entries of audit and request logs, sessions, tokens, attempt counts and records of sub-accounts, and accounts that were not verified within a day. */
export function openAccountSweep({
  users,
  sessions,
  tokens,
  children,
  audit,
  requests,
  requestDays,
  log,
}: Deps): PeriodicTask {
  const run = async (isOpen: () => boolean) => {
    await children.deleteOld();
    while (isOpen() && (await audit.deleteOld()) > 0);
    while (isOpen() && (await requests.deleteOld(requestDays)) > 0);
    while (isOpen() && (await sessions.deleteExpired()) > 0);
    while (isOpen() && (await tokens.deleteExpired()) > 0);
    while (isOpen() && (await users.deleteUnverified(LIFETIMES.unverifiedUser)) > 0);
  };
  return new PeriodicTask({ everyMs: SWEEP_MS, run, failed: 'sweep of expired accounts failed, will retry', log });
}
