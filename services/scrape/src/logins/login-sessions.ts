import { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { z } from 'zod';
import type { LoginReach } from './login.ts';
import type { LoginStore, SealedSession } from './login-store.ts';
import { unended } from './read-session.ts';

const Cookies = z.array(z.unknown());

/** Encrypts secrets; `context` binds the ciphertext to its row. */
export interface Seals {
  seal(plain: string, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): string;
}

export interface OpenSession {
  readonly site: string;
  readonly frontPage: string;
  readonly version: number;
  /** Cookies that have not expired. */
  readonly cookies: readonly SessionCookie[];
}

/** Seals the sessions of saved logins, and opens them. */
export class LoginSessions {
  readonly #logins: Pick<LoginStore, 'session'>;
  readonly #seals: Seals;
  readonly #now: () => Date;

  constructor(logins: Pick<LoginStore, 'session'>, seals: Seals, now: () => Date) {
    this.#logins = logins;
    this.#seals = seals;
    this.#now = now;
  }

  seal(cookies: readonly SessionCookie[], loginId: string): Uint8Array {
    return this.#seals.seal(JSON.stringify(cookies.map((cookie) => SessionCookie.toJSON(cookie))), loginId);
  }

  /** @returns undefined if there is no such login */
  async open(reach: LoginReach, loginId: string): Promise<OpenSession | undefined> {
    const sealed = await this.#logins.session(reach, loginId);
    if (sealed === undefined) return undefined;
    const { site, frontPage, version } = sealed;
    return { site, frontPage, version, cookies: this.#cookies(sealed) };
  }

  #cookies({ id, session }: SealedSession): SessionCookie[] {
    const stored: unknown = JSON.parse(this.#seals.open(session, id));
    const cookies = Cookies.parse(stored).map((cookie) => SessionCookie.fromJSON(cookie));
    return unended(cookies, this.#now());
  }
}
