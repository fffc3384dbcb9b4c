import { createHash } from 'node:crypto';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import type { LoginSession, OpenLogin } from '../domain/login.ts';

/** A login that was deleted or replaced is used no longer than this. */
const KEPT_MS = 30_000;
const LOGINS_MAX = 1_000;
const DEADLINE_MS = 5_000;

/**
 * Opens saved logins where they are kept, each once for all pages that need it at a time. A session is held in memory and nowhere
 * else. Answers undefined where the login is gone; that it can't be asked for is a fault of ours, and never means signed out.
 */
export function makeOpenLogin(projects: Peer, nowMs: () => number = () => performance.now()): OpenLogin {
  const opened = new LRUCache<string, Promise<LoginSession | undefined>>({
    max: LOGINS_MAX,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: nowMs },
  });
  return (workspaceId, loginId) => {
    const key = JSON.stringify([workspaceId, loginId]);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const asked = ask(projects, workspaceId, loginId);
    opened.set(key, asked);
    // Only a session is worth remembering.
    const forget = () => {
      if (opened.peek(key) === asked) opened.delete(key);
    };
    asked.then((session) => session === undefined && forget(), forget);
    return asked;
  };
}

async function ask(projects: Peer, workspaceId: string, id: string): Promise<LoginSession | undefined> {
  const caller = { workspaceId, keyId: '', scope: 'read', projects: [] } as const;
  try {
    const { cookies } = await projects.call(
      Rpc.openLogin,
      { id },
      { caller, requestId: '' },
      { deadlineMs: DEADLINE_MS },
    );
    return { cookies, edition: createHash('sha256').update(JSON.stringify(cookies)).digest('base64url') };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
