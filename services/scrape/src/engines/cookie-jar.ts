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
    return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  store(url: string, setCookie: readonly string[]): void {
    for (const line of setCookie) {
      const cookie = parse(line, new URL(url));
      if (cookie === undefined) continue;
      this.#cookies = this.#cookies.filter(
        (old) => old.name !== cookie.cookie.name || old.host !== cookie.cookie.host || old.path !== cookie.cookie.path,
      );
      if (!cookie.expired && this.#cookies.length < MAX_COOKIES) this.#cookies.push(cookie.cookie);
    }
  }
}

/** RFC 6265 5.1.4 */
function pathMatches(path: string, cookiePath: string): boolean {
  return (
    path === cookiePath ||
    (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))
  );
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
  if (domain !== '' && domain !== url.hostname && (!url.hostname.endsWith(`.${domain}`) || !domain.includes('.')))
    return undefined;
  const maxAge = attributes.get('max-age');
  const expires = attributes.get('expires');
  const expired =
    maxAge === undefined ? expires !== undefined && Date.parse(expires) < Date.now() : Number(maxAge) <= 0;
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
