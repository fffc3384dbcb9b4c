import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { AppError, type FieldFault } from '@tidemark/errors';
import { parseWebUrl, sameSite } from '@tidemark/web-url';

const MAX_COOKIES = 200;
/** Bytes of all cookies of one session together. */
const MAX_BYTES = 64 * 1024;
const MAX_PATH_CHARS = 1_024;
/** Faults reported for one session: more would not help the caller. */
const MAX_FAULTS = 20;
const SAME_SITE: readonly string[] = ['strict', 'lax', 'none'];

/** RFC 6265 section 4.1.1 requires a token; sites also set brackets and colons, and browsers send them. */
const NAME = /^[!-:<>-~]+$/;
/** Control characters and the separator end a cookie early; a header holds only Latin-1 characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them on purpose
const UNSENDABLE = /[\u0000-\u0008\u000a-\u001f\u007f;]|[^\u0000-\u00ff]/;

/** The site a login belongs to. */
export interface LoginSite {
  /** The host, without its port. */
  readonly site: string;
  /** The URL a test of the login fetches: https unless another scheme was given. */
  readonly frontPage: string;
}

/** A checked session. */
export interface Session {
  readonly cookies: readonly SessionCookie[];
  /** Number of cookies left out because they had expired. */
  readonly expired: number;
  /** Earliest expiry among the cookies that have one. */
  readonly expiresAt: Date | undefined;
}

/** Parses a site given as a host or as any URL on it. @throws AppError validation */
export function readSite(given: string): LoginSite {
  const parsed = parseWebUrl(given.includes('://') ? given : `https://${given}`);
  if (!parsed.ok) {
    const detail = [{ loc: ['body', 'site'], msg: parsed.reason, type: 'address_refused' }];
    throw new AppError('validation', `site: ${parsed.reason}`, { detail });
  }
  const { hostname, protocol, port } = parsed.url;
  const site = hostname.replace(/\.+$/, '');
  return { site, frontPage: `${protocol}//${site}${port === '' ? '' : `:${port}`}/` };
}

/** Checks the cookies of a session: bounded, of its site, each once; expired ones are left out. @throws AppError validation */
export function readSession(given: readonly SessionCookie[], { site, frontPage }: LoginSite, now: Date): Session {
  if (given.length > MAX_COOKIES) throw refused(`at most ${MAX_COOKIES} cookies`);
  const bytes = given.reduce((sum, cookie) => sum + bytesOf(cookie), 0);
  if (bytes > MAX_BYTES) throw refused(`at most ${MAX_BYTES} bytes together`);
  const cookies = given.map((cookie) => normalized(cookie, site));
  refuseFaults(cookies.flatMap((cookie, place) => faultsOf(cookie, place, frontPage)));
  const alive = unended(cookies, now);
  const byPlace = new Map(alive.map((cookie) => [`${cookie.domain} ${cookie.path} ${cookie.name}`, cookie]));
  if (byPlace.size === 0) throw refused(given.length === 0 ? 'there are none' : 'every one of them has expired');
  const kept = [...byPlace.values()];
  return { cookies: kept, expired: cookies.length - alive.length, expiresAt: earliestExpiry(kept) };
}

/** Returns the cookies that have not expired. */
export const unended = (cookies: readonly SessionCookie[], now: Date): SessionCookie[] =>
  cookies.filter(({ expires }) => expires === 0 || expires * 1_000 > now.getTime());

const bytesOf = ({ name, value, domain, path }: SessionCookie): number =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + Buffer.byteLength(domain) + Buffer.byteLength(path);

function normalized(cookie: SessionCookie, site: string): SessionCookie {
  const { domain, path, sameSite: rule, expires } = cookie;
  const host = URL.parse(`https://${domain.trim().replace(/^\.|\.$/g, '')}/`)?.hostname ?? domain;
  const sameSiteRule = rule.toLowerCase();
  return {
    ...cookie,
    domain: domain === '' ? site : host,
    path: path.startsWith('/') ? path : '/',
    sameSite: SAME_SITE.includes(sameSiteRule) ? sameSiteRule : '',
    // Browser exports write session cookies with -1.
    expires: Number.isSafeInteger(expires) && expires > 0 ? expires : 0,
  };
}

function faultsOf({ name, value, domain, path }: SessionCookie, place: number, frontPage: string): FieldFault[] {
  const fault = (field: string, msg: string, type: string): FieldFault => ({
    loc: ['body', 'cookies', place, field],
    msg,
    type,
  });
  const faults: FieldFault[] = [];
  if (!NAME.test(name)) faults.push(fault('name', 'this is no name of a cookie', 'cookie_refused'));
  if (UNSENDABLE.test(value)) faults.push(fault('value', 'a cookie can’t carry this value', 'cookie_refused'));
  if (path.length > MAX_PATH_CHARS || UNSENDABLE.test(path)) {
    faults.push(fault('path', 'this is no path', 'cookie_refused'));
  }
  if (!isOfSite(domain, frontPage)) faults.push(fault('domain', `it does not belong to ${frontPage}`, 'another_site'));
  return faults;
}

/** Whether the site may set a cookie of this domain: both have the same registrable domain. */
function isOfSite(domain: string, frontPage: string): boolean {
  const parsed = parseWebUrl(`https://${domain}/`);
  return parsed.ok && parsed.url.hostname === domain && sameSite(parsed.url, frontPage);
}

function earliestExpiry(cookies: readonly SessionCookie[]): Date | undefined {
  const expiries = cookies.flatMap(({ expires }) => (expires === 0 ? [] : [expires]));
  // Beyond the range of Date: counts as no expiry.
  const first = Math.min(...expiries, 8_640_000_000_000);
  return expiries.length === 0 || first === 8_640_000_000_000 ? undefined : new Date(first * 1_000);
}

function refuseFaults(faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const where = first.loc.slice(1).join('.');
  throw new AppError('validation', `${where}: ${first.msg}`, { detail: faults.slice(0, MAX_FAULTS) });
}

const refused = (msg: string): AppError =>
  new AppError('validation', `cookies: ${msg}`, {
    detail: [{ loc: ['body', 'cookies'], msg, type: 'cookies_refused' }],
  });
