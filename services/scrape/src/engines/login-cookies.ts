import { domainToASCII } from 'node:url';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';

/** Maximum number of cookies used per session; RFC 6265 6.1 requires at least 50 per domain. */
const COOKIES_MAX = 200;
/** RFC 6265bis section 5.6: longer ones are ignored, as browsers do. */
export const MAX_COOKIE_BYTES = 4_096;
const PATH_MAX = 1_024;

/** RFC 6265 section 4.1.1 leaves no way to write these; a semicolon would begin an attribute. */
const UNFIT = /[\p{Cc};]/u;

/** Returns true if the cookie can be serialized. */
export const isFit = (name: string, value: string): boolean =>
  name !== '' && !/[=\s]/.test(name) && !UNFIT.test(name + value);

/** Returns the warning for a cookie that is left out. */
export const notSent = (name: string): string =>
  `cookie ${JSON.stringify(name)} not sent: it holds a character no cookie may hold`;

/** The cookies of a session that may still be sent, each by the rules of its own domain, whose name is as URLs have it. */
export function liveCookies(cookies: readonly SessionCookie[], now: Date): SessionCookie[] {
  const seconds = now.getTime() / 1000;
  return cookies.slice(0, COOKIES_MAX).flatMap((cookie) => {
    const { name, value, expires } = cookie;
    const domain = domainToASCII(cookie.domain.replace(/^\./, ''));
    const path = cookie.path.startsWith('/') ? cookie.path : '/';
    if (
      path.length > PATH_MAX ||
      UNFIT.test(path) ||
      domain === '' ||
      !isFit(name, value) ||
      name.length + value.length > MAX_COOKIE_BYTES
    )
      return [];
    if (expires !== 0 && expires <= seconds) return [];
    // A top-level domain is no site: a cookie for it would be shared by all its sites.
    return [{ ...cookie, domain, path, isForSubdomains: cookie.isForSubdomains && domain.includes('.') }];
  });
}

/**
 * Returns a cookie's value with its attributes in Set-Cookie syntax (RFC 6265 4.1.1), to be set in a browser. A host-only cookie
 * alone names it by Host, which that grammar has no word for.
 */
export function withAttributes(cookie: SessionCookie): string {
  const { value, domain, path, isForSubdomains, secure, httpOnly, sameSite } = cookie;
  return [
    value,
    `${isForSubdomains ? 'Domain' : 'Host'}=${domain}`,
    `Path=${path}`,
    ...(secure ? ['Secure'] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(/^(?:strict|lax|none)$/i.test(sameSite) ? [`SameSite=${sameSite}`] : []),
  ].join('; ');
}
