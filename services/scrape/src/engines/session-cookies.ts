import type { CookieJar } from '@tidemark/egress';
import { LRUCache } from 'lru-cache';
import type { LoginSession } from '../domain/login.ts';
import { JobCookies } from './cookie-jar.ts';
import { liveCookies, MAX_COOKIE_BYTES } from './login-cookies.ts';

/** Maximum sessions in this process. */
const MAX_SESSIONS = 500;
/** Idle time after which a session ends, ms. */
const IDLE_MS = 30 * 60_000;
/** Key of a session. Sessions with different workspaces, exits or logins share no cookies. */
export interface SessionOwner {
  readonly workspaceId: string;
  readonly session: string;
  /** Empty: without an exit. */
  readonly exit: string;
  /** The saved login whose cookies the session starts with. */
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

  /** Adds the cookies of the login once per edition, since cookies set by the site later are newer. */
  addLogin({ cookies, edition }: LoginSession): void {
    if (this.#edition === edition) return;
    this.#edition = edition;
    for (const cookie of liveCookies(cookies, new Date())) this.#cookies.put(cookie);
  }
}

/** The cookies of sessions, in the memory of this process. They are not shared with other processes. */
export class SessionCookies {
  readonly #jars: LRUCache<string, SessionJar>;

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#jars = new LRUCache({
      max: MAX_SESSIONS,
      ttl: IDLE_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
    });
  }

  /** Returns the jar of the session; without a session, a new jar. */
  jarOf(owner: SessionOwner): CookieJar {
    const jar = owner.session === '' ? new SessionJar() : this.#sessionJar(owner);
    if (owner.login !== undefined) jar.addLogin(owner.login);
    return jar;
  }

  #sessionJar({ workspaceId, session, exit, loginId }: SessionOwner): SessionJar {
    const key = JSON.stringify([workspaceId, session, exit, loginId]);
    const existing = this.#jars.get(key);
    if (existing !== undefined) return existing;
    const jar = new SessionJar();
    this.#jars.set(key, jar);
    return jar;
  }
}
