import { domainToASCII } from 'node:url';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';

/** Maximum cookies of one session; RFC 6265 section 6.1 requires at least 50 per domain. */
const MAX_COOKIES = 200;
/** RFC 6265bis section 5.6: browsers ignore longer cookies. */
export const MAX_COOKIE_BYTES = 4_096;
const MAX_PATH = 1_024;

/** Characters that RFC 6265 section 4.1.1 forbids; a semicolon would start an attribute. */
const FORBIDDEN = /[\p{Cc};]/u;

/** Whether name and value are valid in a Cookie header. */
export const isValidCookie = (name: string, value: string): boolean =>
  name !== '' && !/[=\s]/.test(name) && !FORBIDDEN.test(name + value);

/** Returns the warning about an invalid cookie. */
export const rejectedCookieWarning = (name: string): string =>
  `cookie ${JSON.stringify(name)} not sent: it contains a forbidden character`;

/** Returns the valid, unexpired cookies of a session, with their domains in ASCII form as in URLs. */
export function liveCookies(cookies: readonly SessionCookie[], now: Date): SessionCookie[] {
  const seconds = now.getTime() / 1000;
  return cookies.slice(0, MAX_COOKIES).flatMap((cookie) => {
    const { name, value, expires } = cookie;
    const domain = domainToASCII(cookie.domain.replace(/^\./, ''));
    const path = cookie.path.startsWith('/') ? cookie.path : '/';
    if (
      path.length > MAX_PATH ||
      FORBIDDEN.test(path) ||
      domain === '' ||
      !isValidCookie(name, value) ||
      name.length + value.length > MAX_COOKIE_BYTES
    )
      return [];
    if (expires !== 0 && expires <= seconds) return [];
    // A top-level domain is not a site, so its cookie is host-only.
    return [{ ...cookie, domain, path, isForSubdomains: cookie.isForSubdomains && domain.includes('.') }];
  });
}

/**
 * Returns the value of a cookie with its attributes as in Set-Cookie (RFC 6265 section 4.1.1), for browser-pool. A host-only
 * cookie has the attribute Host, which that grammar does not define.
 */
export function toCookieValue(cookie: SessionCookie): string {
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
