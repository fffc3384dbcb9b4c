import { AppError, type FieldFault } from '@tidemark/errors';
import { parseWebUrl, sameSite } from '@tidemark/web-url';
import { z } from 'zod';
import { type ExportedCookie, ExportedCookies, type Session } from '../schemas/login.ts';
import { readPart } from '../validation/read-part.ts';
import { readCookiesTxt } from './cookies-txt.ts';

/** A cookie in the shape used between services. */
export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  /** Without a leading dot. */
  readonly domain: string;
  readonly path: string;
  readonly isForSubdomains: boolean;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** strict, lax or none; empty if not given. */
  readonly sameSite: string;
  /** Unix seconds; 0 for a session cookie. */
  readonly expires: number;
}

/** Faults reported at most. */
const MAX_FAULTS = 10;
/** The last second of the year 9999; later dates are capped. */
const LATEST_SECONDS = 253_402_300_799;
/** As seconds this is the year 5138; larger numbers are milliseconds. */
const MILLISECONDS_FROM = 1e11;
/** RFC 6265 section 4.1.1 plus what browsers accept; characters that end a header or a cookie are excluded. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,1000}$/;
const VALUE = /^[\t -:<-~\u0080-\u00ff]{0,8000}$/;
const PATH = /^\/[ -:<-~]{0,1023}$/;
const SAME_SITE: Readonly<Record<string, string>> = {
  strict: 'strict',
  lax: 'lax',
  none: 'none',
  no_restriction: 'none',
};

/**
 * Parses the cookies of a session in any of the supported export formats. If the site is given, cookies of other sites are
 * dropped and a cookie without a domain belongs to the site. Error messages never contain a cookie value.
 * @throws AppError validation (422) naming the invalid cookies
 */
export function toSessionCookies(session: Session, site?: string): SessionCookie[] {
  const host = site === undefined ? '' : hostOf(site);
  const exported = exportedIn(session);
  const read = exported.map((cookie) => readCookie(cookie, host));
  const faults = read.flatMap((one, at) => ('fault' in one ? [faultAt([at], one.fault)] : []));
  if (faults.length > 0) reject(faults.slice(0, MAX_FAULTS));
  const cookies = read.flatMap((one) => ('fault' in one ? [] : [one]));
  const own = host === '' ? cookies : cookies.filter(({ domain }) => sameSite(`https://${domain}`, `https://${host}`));
  if (own.length === 0) reject([faultAt([], `none of them belongs to ${host}`)]);
  return own;
}

/** Returns the host of a site, which is given as a host or as a URL. */
function hostOf(site: string): string {
  const parsed = parseWebUrl(site.includes('://') ? site : `https://${site}/`);
  return parsed.ok ? parsed.url.hostname : reject([{ loc: ['body', 'site'], msg: parsed.reason, type: 'url' }]);
}

const faultAt = (path: readonly (string | number)[], msg: string): FieldFault => ({
  loc: ['body', 'cookies', ...path],
  msg,
  type: 'invalid_cookie',
});

function reject(faults: readonly FieldFault[]): never {
  const messages = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  throw new AppError('validation', messages.join('; '), { detail: faults });
}

function exportedIn(session: Session): readonly ExportedCookie[] {
  if (typeof session !== 'string') return Array.isArray(session) ? session : session.cookies;
  const text = session.replace(/^\ufeff/, '').trim();
  if (!/^[[{]/.test(text)) {
    const { cookies, fault } = readCookiesTxt(text);
    return fault === undefined ? cookies : reject([faultAt([], fault)]);
  }
  const value = readJson(text);
  const list = typeof value === 'object' && value !== null && 'cookies' in value ? value.cookies : value;
  return readPart(z.object({ cookies: ExportedCookies }), { cookies: list }, 'body').cookies;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message would quote the text, which contains secrets.
    return reject([faultAt([], 'the text starts like JSON but is not valid JSON')]);
  }
}

/** Returns one cookie in its stored form, or the reason why it is invalid. */
function readCookie(cookie: ExportedCookie, host: string): SessionCookie | { readonly fault: string } {
  const { name, value, secure, httpOnly, hostOnly, sameSite: policy } = cookie;
  const given = (cookie.domain ?? '').trim().toLowerCase();
  const bare = given.replace(/^\./, '');
  const domain = bare === '' ? host : parsedHost(bare);
  const path = cookie.path ?? '/';
  const expires = secondsOf(cookie.expires ?? cookie.expirationDate ?? 0);
  if (!NAME.test(name)) return { fault: 'the name is empty, too long or has invalid characters' };
  if (!VALUE.test(value)) return { fault: 'the value is too long or has invalid characters' };
  if (domain === undefined) return { fault: 'the domain is not a host name' };
  if (!PATH.test(path)) return { fault: 'the path does not start with / or is too long' };
  if (expires === undefined) return { fault: 'expires: expected Unix seconds or a date' };
  return {
    name,
    value,
    domain,
    path,
    expires,
    isForSubdomains: hostOnly === undefined || hostOnly === null ? given.startsWith('.') : !hostOnly,
    secure: secure ?? false,
    httpOnly: httpOnly ?? false,
    sameSite: SAME_SITE[(policy ?? '').toLowerCase()] ?? '',
  };
}

function parsedHost(host: string): string | undefined {
  const parsed = parseWebUrl(`https://${host}/`);
  return parsed.ok && parsed.url.port === '' && parsed.url.pathname === '/' ? parsed.url.hostname : undefined;
}

/** Returns the expiry in Unix seconds; 0 for a session cookie, undefined if it cannot be parsed. */
function secondsOf(expires: number | string): number | undefined {
  const given = typeof expires === 'string' ? Date.parse(expires) / 1_000 : expires;
  if (!Number.isFinite(given)) return undefined;
  const seconds = given >= MILLISECONDS_FROM ? given / 1_000 : given;
  return seconds < 1 ? 0 : Math.min(Math.floor(seconds), LATEST_SECONDS);
}
