import { isIP } from 'node:net';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import type { CookieJar } from '@tidemark/egress';

const MAX_COOKIES = 200;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly isDomainCookie: boolean;
  readonly path: string;
  readonly secure: boolean;
}

/**
 * The cookies of one job, matched by domain, path and scheme (RFC 6265 section 5). Its lifetime is that of the job, so that no
 * session of a site outlives the job or is shared with another customer.
 */
export class JobCookies implements CookieJar {
  #cookies: Cookie[] = [];

  header(url: string): string | undefined {
    const { hostname, pathname, protocol } = new URL(url);
    const matching = this.#cookies.filter(
      (cookie) =>
        (cookie.host === hostname || (cookie.isDomainCookie && hostname.endsWith(`.${cookie.host}`))) &&
        pathMatches(pathname, cookie.path) &&
        (!cookie.secure || protocol === 'https:'),
    );
    // RFC 6265 section 5.4: longer paths first; equal lengths in the order of creation.
    matching.sort((one, other) => other.path.length - one.path.length);
    return matching.length === 0 ? undefined : matching.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  store(url: string, setCookie: readonly string[]): void {
    for (const line of setCookie) {
      const cookie = parse(line, new URL(url));
      if (cookie === undefined) continue;
      this.#set(cookie.cookie, cookie.expired);
    }
  }

  /** Stores a cookie with known attributes. */
  put({ name, value, domain, isForSubdomains, path, secure }: SessionCookie): void {
    this.#set({ name, value, host: domain, isDomainCookie: isForSubdomains, path, secure }, false);
  }

  /** RFC 6265 section 5.3: a replaced cookie keeps its position. */
  #set(cookie: Cookie, expired: boolean): void {
    const at = this.#cookies.findIndex(
      (old) => old.name === cookie.name && old.host === cookie.host && old.path === cookie.path,
    );
    if (at >= 0) this.#cookies.splice(at, 1, ...(expired ? [] : [cookie]));
    else if (!expired && this.#cookies.length < MAX_COOKIES) this.#cookies.push(cookie);
  }
}

/** RFC 6265 section 5.1.4. */
function pathMatches(path: string, cookiePath: string): boolean {
  return (
    path === cookiePath ||
    (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))
  );
}

/** RFC 6265 section 5.1.3: an IP address belongs to no domain. */
function isDomainOf(domain: string, hostname: string): boolean {
  return isIP(hostname) === 0 && domain.includes('.') && hostname.endsWith(`.${domain}`);
}

function parse(line: string, url: URL): { cookie: Cookie; expired: boolean } | undefined {
  const [pair = '', ...rest] = line.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals).trim();
  if (equals < 1 || name === '') return undefined;
  const attributes = new Map(
    rest.map((part) => {
      const [key = '', ...value] = part.split('=');
      return [key.trim().toLowerCase(), value.join('=').trim()] as const;
    }),
  );
  const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase() ?? '';
  // A host may set cookies for itself and its parent domains, except top-level domains.
  if (domain !== '' && domain !== url.hostname && !isDomainOf(domain, url.hostname)) return undefined;
  const maxAge = attributes.get('max-age') ?? '';
  const expires = attributes.get('expires');
  // RFC 6265 section 5.2.2: a Max-Age that is not a number is ignored.
  const expired = /^-?\d+$/.test(maxAge)
    ? Number(maxAge) <= 0
    : expires !== undefined && Date.parse(expires) < Date.now();
  const path = attributes.get('path') ?? '';
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/'));
  return {
    expired,
    cookie: {
      name,
      value: pair.slice(equals + 1).trim(),
      host: domain === '' ? url.hostname : domain,
      isDomainCookie: domain !== '',
      path: path.startsWith('/') ? path : folder === '' ? '/' : folder,
      secure: attributes.has('secure'),
    },
  };
}
