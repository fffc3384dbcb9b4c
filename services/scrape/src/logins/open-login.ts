import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LoginSession, OpenLogin } from '../domain/login.ts';
import type { LoginDeletions } from './login-deletions.ts';
import type { LoginSessions } from './login-sessions.ts';

/**
 * Cache lifetime, ms: how long a capture may still open a session that was deleted or replaced if the message about it is lost. A login
 * that is used all the time is then read once a second.
 */
const CACHE_MS = 1_000;
const MAX_CACHED = 1_000;

/**
 * Opens saved logins for captures. Concurrent captures share one read; sessions are cached in memory only, until the login is deleted.
 * Resolves to undefined if the login does not exist or all its cookies have expired. Rejects if it cannot be read; the page is then
 * fetched later, never signed out.
 */
export function makeOpenLogin(
  sessions: Pick<LoginSessions, 'open'>,
  logins: Pick<LoginDeletions, 'watch'>,
  nowMs: () => number = () => performance.now(),
): OpenLogin {
  const watches = new Map<string, () => void>();
  const opened = new LRUCache<string, Promise<LoginSession | undefined>>({
    max: MAX_CACHED,
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: { now: nowMs },
    dispose: (_, key, reason) => {
      if (reason === 'set') return;
      watches.get(key)?.();
      watches.delete(key);
    },
  });
  return (workspaceId, loginId) => {
    const key = JSON.stringify([workspaceId, loginId]);
    const cached = opened.get(key);
    if (cached !== undefined) return cached;
    const reading = read(sessions, workspaceId, loginId);
    opened.set(key, reading);
    if (!watches.has(key))
      watches.set(
        key,
        logins.watch({ workspaceId, loginId }, () => opened.delete(key)),
      );
    // Only sessions stay cached: errors and missing logins are read again.
    const drop = () => {
      if (opened.peek(key) === reading) opened.delete(key);
    };
    reading.then((session) => session === undefined && drop(), drop);
    return reading;
  };
}

async function read(
  sessions: Pick<LoginSessions, 'open'>,
  workspaceId: string,
  loginId: string,
): Promise<LoginSession | undefined> {
  const session = await sessions.open({ workspaceId, visibleIds: undefined }, loginId);
  if (session === undefined || session.cookies.length === 0) return undefined;
  const { cookies } = session;
  return { cookies, edition: createHash('sha256').update(JSON.stringify(cookies)).digest('base64url') };
}
