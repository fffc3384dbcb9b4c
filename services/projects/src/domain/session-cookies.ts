import type { SessionCookie } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError, type FieldFault } from '@tidemark/errors';
import { parseWebUrl, sameSite } from '@tidemark/web-url';

const MAX_COOKIES = 200;
/** Bytes of all cookies of one session together. */
const MAX_BYTES = 64 * 1024;
const MAX_PATH_CHARS = 1_024;
/** Faults told of one session: whoever sent another site's cookies learns no more by the rest. */
const MAX_FAULTS = 20;
const SAME_SITE: readonly string[] = ['strict', 'lax', 'none'];

/** RFC 6265 section 4.1.1 wants a token; sites set brackets and colons, too, and browsers send them. */
const NAME = /^[!-:<>-~]+$/;
/** Controls and the separator end a cookie early, and a header carries no character beyond Latin-1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSENDABLE = /[\u0000-\u0008\u000a-\u001f\u007f;]|[^\u0000-\u00ff]/;

/** Where a login belongs. */
export interface LoginSite {
  /** The host, without its port. */
  readonly site: string;
  /** What a test of the login fetches: https, unless it was given otherwise. */
  readonly frontPage: string;
}

/** A session as it is kept. */
export interface Session {
  readonly cookies: readonly SessionCookie[];
  /** Cookies left out because they had ended. */
  readonly expired: number;
  /** When the first cookie that says so ends. */
  readonly expiresAt: Date | undefined;
}

/** Reads a site given as a host or as any address on it. @throws AppError validation */
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

/** Cookies as a login keeps them: bounded, of its site, each once, those that have ended left out. @throws AppError validation */
export function readSession(given: readonly SessionCookie[], { site, frontPage }: LoginSite, now: Date): Session {
  if (given.length > MAX_COOKIES) throw refused(`at most ${MAX_COOKIES} cookies`);
  const bytes = given.reduce((sum, cookie) => sum + bytesOf(cookie), 0);
  if (bytes > MAX_BYTES) throw refused(`at most ${MAX_BYTES} bytes together`);
  const cookies = given.map((cookie) => settled(cookie, site));
  refuseFaults(cookies.flatMap((cookie, place) => faultsOf(cookie, place, frontPage)));
  const alive = unended(cookies, now);
  const byPlace = new Map(alive.map((cookie) => [`${cookie.domain} ${cookie.path} ${cookie.name}`, cookie]));
  if (byPlace.size === 0) throw refused(given.length === 0 ? 'there are none' : 'every one of them has expired');
  const kept = [...byPlace.values()];
  return { cookies: kept, expired: cookies.length - alive.length, expiresAt: firstEnd(kept) };
}

/** Those of the cookies that have not ended. */
export const unended = (cookies: readonly SessionCookie[], now: Date): SessionCookie[] =>
  cookies.filter(({ expires }) => expires === 0 || expires * 1_000 > now.getTime());

const bytesOf = ({ name, value, domain, path }: SessionCookie): number =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + Buffer.byteLength(domain) + Buffer.byteLength(path);

function settled(cookie: SessionCookie, site: string): SessionCookie {
  const { domain, path, sameSite: rule, expires } = cookie;
  const host = URL.parse(`https://${domain.trim().replace(/^\.|\.$/g, '')}/`)?.hostname ?? domain;
  const sameSiteRule = rule.toLowerCase();
  return {
    ...cookie,
    domain: domain === '' ? site : host,
    path: path.startsWith('/') ? path : '/',
    sameSite: SAME_SITE.includes(sameSiteRule) ? sameSiteRule : '',
    // Exports write a cookie of the session with -1.
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

/** Whether a cookie of this domain may be set by the site: both have one registrable domain. */
function isOfSite(domain: string, frontPage: string): boolean {
  const parsed = parseWebUrl(`https://${domain}/`);
  return parsed.ok && parsed.url.hostname === domain && sameSite(parsed.url, frontPage);
}

function firstEnd(cookies: readonly SessionCookie[]): Date | undefined {
  const ends = cookies.flatMap(({ expires }) => (expires === 0 ? [] : [expires]));
  // Farther than a date can say: it does not end.
  const first = Math.min(...ends, 8_640_000_000_000);
  return ends.length === 0 || first === 8_640_000_000_000 ? undefined : new Date(first * 1_000);
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
