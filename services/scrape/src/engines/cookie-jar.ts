import { isIP } from 'node:net';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import type { CookieJar } from '@tidemark/egress';

const MAX_COOKIES = 200;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly domainWide: boolean;
  readonly path: string;
  readonly secure: boolean;
}

/**
 * The cookies of one job, by RFC 6265 section 5: matched by domain, path and scheme. Lives as long as the job, so that no
 * site's session outlives it or reaches another customer.
 */
export class JobCookies implements CookieJar {
  #cookies: Cookie[] = [];

  header(url: string): string | undefined {
    const { hostname, pathname, protocol } = new URL(url);
    const sent = this.#cookies.filter(
      (cookie) =>
        (cookie.host === hostname || (cookie.domainWide && hostname.endsWith(`.${cookie.host}`))) &&
        pathMatches(pathname, cookie.path) &&
        (!cookie.secure || protocol === 'https:'),
    );
    // RFC 6265 5.4: longer paths first; those of equal length stay in the order they were set.
    sent.sort((one, other) => other.path.length - one.path.length);
    return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  store(url: string, setCookie: readonly string[]): void {
    for (const line of setCookie) {
      const cookie = parse(line, new URL(url));
      if (cookie === undefined) continue;
      this.#keep(cookie.cookie, cookie.expired);
    }
  }

  /** Takes a cookie whose rules are known, as it was when its site had set it. */
  put({ name, value, domain, isForSubdomains, path, secure }: SessionCookie): void {
    this.#keep({ name, value, host: domain, domainWide: isForSubdomains, path, secure }, false);
  }

  /** RFC 6265 5.3: a cookie set again keeps its place. */
  #keep(cookie: Cookie, expired: boolean): void {
    const at = this.#cookies.findIndex(
      (old) => old.name === cookie.name && old.host === cookie.host && old.path === cookie.path,
    );
    if (at >= 0) this.#cookies.splice(at, 1, ...(expired ? [] : [cookie]));
    else if (!expired && this.#cookies.length < MAX_COOKIES) this.#cookies.push(cookie);
  }
}

/** RFC 6265 5.1.4 */
function pathMatches(path: string, cookiePath: string): boolean {
  return (
    path === cookiePath ||
    (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))
  );
}

/** RFC 6265 5.1.3: an address is in no domain. */
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
  // A host may set cookies for itself and the domains it is in, never for another's, and never for a bare top level.
  if (domain !== '' && domain !== url.hostname && !isDomainOf(domain, url.hostname)) return undefined;
  const maxAge = attributes.get('max-age') ?? '';
  const expires = attributes.get('expires');
  // RFC 6265 5.2.2: a Max-Age that is no number is as good as none.
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
      domainWide: domain !== '',
      path: path.startsWith('/') ? path : folder === '' ? '/' : folder,
      secure: attributes.has('secure'),
    },
  };
}
