import type { CookieJar } from '@tidemark/egress';
import { LRUCache } from 'lru-cache';
import type { LoginSession } from '../domain/login.ts';
import { JobCookies } from './cookie-jar.ts';
import { liveCookies, MAX_COOKIE_BYTES } from './login-cookies.ts';

/** Sessions whose cookies are kept at once in this process. */
const MAX_SESSIONS = 500;
/** Idle time after which a session expires, ms. */
const IDLE_MS = 30 * 60_000;
/** Key of a jar: sessions of different workspaces, exits or logins share no cookies. */
export interface SessionOwner {
  readonly workspaceId: string;
  readonly session: string;
  /** Empty: without an exit. */
  readonly exit: string;
  /** The saved login whose cookies the session begins with. */
  readonly loginId: string;
  readonly login: LoginSession | undefined;
}

/** The cookies of one session. */
class SessionJar implements CookieJar {
  readonly #cookies = new JobCookies();
  #edition = '';

  header(url: string): string | undefined {
    return this.#cookies.header(url);
  }

  store(url: string, lines: readonly string[]): void {
    this.#cookies.store(
      url,
      lines.filter((line) => line.length <= MAX_COOKIE_BYTES),
    );
  }

  /** Once for each edition of the login: what its site has set since then is newer than what was saved. */
  signIn({ cookies, edition }: LoginSession): void {
    if (this.#edition === edition) return;
    this.#edition = edition;
    for (const cookie of liveCookies(cookies, new Date())) this.#cookies.put(cookie);
  }
}

/** The cookies of sessions, in this process's memory; a session that moves to another process starts without. */
export class SessionCookies {
  readonly #jars: LRUCache<string, SessionJar>;

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

  /** Returns the jar of the session, or a new, unshared one for a page without a session. */
  jarOf(owner: SessionOwner): CookieJar {
    const jar = owner.session === '' ? new SessionJar() : this.#kept(owner);
    if (owner.login !== undefined) jar.signIn(owner.login);
    return jar;
  }

  #kept({ workspaceId, session, exit, loginId }: SessionOwner): SessionJar {
    const key = JSON.stringify([workspaceId, session, exit, loginId]);
    const known = this.#jars.get(key);
    if (known !== undefined) return known;
    const jar = new SessionJar();
    this.#jars.set(key, jar);
    return jar;
  }
}
