import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import type { CookieJar } from '@tidemark/egress';
import { type Callback, Cookie, type ErrorCallback, Store, CookieJar as ToughJar } from 'tough-cookie';

const MAX_COOKIES = 200;

/**
 * The cookies of one job, matched as RFC 6265 requires; a site can not set cookies for a public suffix. Their lifetime is that
 * of the job, so that no session of a site outlives the job or is shared with another customer.
 */
export class JobCookies implements CookieJar {
  readonly #store = new BoundedStore();
  readonly #jar = new ToughJar(this.#store);

  header(url: string): string | undefined {
    // Most pages have no cookies; the jar would parse the URL.
    if (this.#store.isEmpty) return undefined;
    const header = this.#jar.getCookieStringSync(url);
    return header === '' ? undefined : header;
  }

  store(url: string, setCookie: readonly string[]): void {
    for (const line of setCookie) this.#jar.setCookieSync(line, url, { ignoreError: true });
  }

  /** Stores a cookie with known attributes. */
  put({ name, value, domain, isForSubdomains, path, secure }: SessionCookie): void {
    const cookie = new Cookie({ key: name, value, domain: isForSubdomains ? domain : null, path, secure });
    this.#jar.setCookieSync(cookie, `https://${domain}/`, { ignoreError: true });
  }
}

/** A name of a cookie, its domain or its path; tough-cookie passes null for none. */
type Part = string | null | undefined;

/**
 * Stores at most `MAX_COOKIES`; further ones are ignored. It returns all of them, which the jar filters: the store of
 * tough-cookie is unbounded and throws for hosts such as `test`.
 */
class BoundedStore extends Store {
  override synchronous = true;
  readonly #cookies = new Map<string, Cookie>();

  get isEmpty(): boolean {
    return this.#cookies.size === 0;
  }

  override async findCookie(
    domain: Part,
    path: Part,
    key: Part,
    done?: Callback<Cookie | undefined>,
  ): Promise<Cookie | undefined> {
    const found = this.#cookies.get(nameOf(domain, path, key));
    done?.(null, found);
    return found;
  }

  override async findCookies(_domain: Part, _path: Part, _: unknown, done?: Callback<Cookie[]>): Promise<Cookie[]> {
    const all = [...this.#cookies.values()];
    done?.(null, all);
    return all;
  }

  override async putCookie(cookie: Cookie, done?: ErrorCallback): Promise<void> {
    if (this.#cookies.size < MAX_COOKIES) this.#set(cookie);
    done?.(null);
  }

  override async updateCookie(_old: Cookie, cookie: Cookie, done?: ErrorCallback): Promise<void> {
    this.#set(cookie);
    done?.(null);
  }

  override async removeCookie(domain: Part, path: Part, key: Part, done?: ErrorCallback): Promise<void> {
    this.#cookies.delete(nameOf(domain, path, key));
    done?.(null);
  }

  #set(cookie: Cookie): void {
    this.#cookies.set(nameOf(cookie.domain, cookie.path, cookie.key), cookie);
  }
}

const nameOf = (...parts: readonly Part[]): string => JSON.stringify(parts);
