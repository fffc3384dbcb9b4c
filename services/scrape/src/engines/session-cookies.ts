import type { CookieJar } from '@tidemark/egress';
import { LRUCache } from 'lru-cache';
import { JobCookies } from './cookie-jar.ts';

/** Sessions whose cookies are kept at once in this process. */
const MAX_SESSIONS = 500;
/** A session nobody used for so long has ended. */
const IDLE_MS = 30 * 60_000;
/** RFC 6265bis section 5.6: longer ones are ignored, as browsers do. */
const MAX_COOKIE_BYTES = 4_096;

/** Whose cookies: sessions of two workspaces, or of one workspace through two exits, never share any. */
export interface SessionOwner {
  readonly workspaceId: string;
  readonly session: string;
  /** Empty: without an exit. */
  readonly exit: string;
}

/** The cookies of sessions, in this process's memory; a session that moves to another process starts without. */
export class SessionCookies {
  readonly #jars: LRUCache<string, CookieJar>;

  /** @param now milliseconds from any fixed point */
  constructor(now: () => number = () => performance.now()) {
    this.#jars = new LRUCache({
      max: MAX_SESSIONS,
      ttl: IDLE_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
    });
  }

  /** The jar of the session; a new one that nobody else gets where the page has no session. */
  jarOf({ workspaceId, session, exit }: SessionOwner): CookieJar {
    if (session === '') return boundedJar();
    const key = JSON.stringify([workspaceId, session, exit]);
    const known = this.#jars.get(key);
    if (known !== undefined) return known;
    const jar = boundedJar();
    this.#jars.set(key, jar);
    return jar;
  }
}

function boundedJar(): CookieJar {
  const jar = new JobCookies();
  return {
    header: (url) => jar.header(url),
    store: (url, lines) =>
      jar.store(
        url,
        lines.filter((line) => line.length <= MAX_COOKIE_BYTES),
      ),
  };
}
