import { AppError, type FieldFault } from '@tidemark/errors';
import { parseWebUrl, sameSite } from '@tidemark/web-url';
import { z } from 'zod';
import { type ExportedCookie, ExportedCookies, type Session } from '../schemas/login.ts';
import { readPart } from '../validate.ts';
import { readCookiesTxt } from './cookies-txt.ts';

/** A cookie as services tell each other. */
export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  /** Without a leading dot. */
  readonly domain: string;
  readonly path: string;
  readonly isForSubdomains: boolean;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** strict, lax, none; empty: not said. */
  readonly sameSite: string;
  /** Seconds since 1970; 0: ends with the session. */
  readonly expires: number;
}

/** Faults told of a long list. */
const MAX_FAULTS = 10;
/** The last second a date may name; what is later never ends. */
const LATEST_SECONDS = 253_402_300_799;
/** Later than this in seconds is the year 5138: the number is in milliseconds. */
const MILLISECONDS_FROM = 1e11;
/** RFC 6265 section 4.1.1, and what browsers let pass beside it: nothing that ends a header or a cookie. */
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
 * The cookies of a session, however they were exported; where the site is known, those that are not the site's are left out, and one
 * without a domain is the site's own. No message holds a value.
 * @throws AppError validation (422) naming the cookies that can't be read
 */
export function toSessionCookies(session: Session, site?: string): SessionCookie[] {
  const host = site === undefined ? '' : hostOf(site);
  const exported = exportedIn(session);
  const read = exported.map((cookie) => readCookie(cookie, host));
  const faults = read.flatMap((one, at) => ('fault' in one ? [faultAt([at], one.fault)] : []));
  if (faults.length > 0) refuse(faults.slice(0, MAX_FAULTS));
  const cookies = read.flatMap((one) => ('fault' in one ? [] : [one]));
  const own = host === '' ? cookies : cookies.filter(({ domain }) => sameSite(`https://${domain}`, `https://${host}`));
  if (own.length === 0) refuse([faultAt([], `none of them belongs to ${host}`)]);
  return own;
}

/** The host of a site, given as one or as an address of it. */
function hostOf(site: string): string {
  const parsed = parseWebUrl(site.includes('://') ? site : `https://${site}/`);
  return parsed.ok ? parsed.url.hostname : refuse([{ loc: ['body', 'site'], msg: parsed.reason, type: 'url' }]);
}

const faultAt = (path: readonly (string | number)[], msg: string): FieldFault => ({
  loc: ['body', 'cookies', ...path],
  msg,
  type: 'invalid_cookie',
});

function refuse(faults: readonly FieldFault[]): never {
  const said = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  throw new AppError('validation', said.join('; '), { detail: faults });
}

function exportedIn(session: Session): readonly ExportedCookie[] {
  if (typeof session !== 'string') return Array.isArray(session) ? session : session.cookies;
  const text = session.replace(/^\ufeff/, '').trim();
  if (!/^[[{]/.test(text)) {
    const { cookies, fault } = readCookiesTxt(text);
    return fault === undefined ? cookies : refuse([faultAt([], fault)]);
  }
  const value = readJson(text);
  const list = typeof value === 'object' && value !== null && 'cookies' in value ? value.cookies : value;
  return readPart(z.object({ cookies: ExportedCookies }), { cookies: list }, 'body').cookies;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the text.
    return refuse([faultAt([], 'the text begins like JSON and is none')]);
  }
}

/** One cookie as it is kept, or what is wrong with it. */
function readCookie(cookie: ExportedCookie, host: string): SessionCookie | { readonly fault: string } {
  const { name, value, secure, httpOnly, hostOnly, sameSite: policy } = cookie;
  const asked = (cookie.domain ?? '').trim().toLowerCase();
  const bare = asked.replace(/^\./, '');
  const domain = bare === '' ? host : parsedHost(bare);
  const path = cookie.path ?? '/';
  const expires = secondsOf(cookie.expires ?? cookie.expirationDate ?? 0);
  if (!NAME.test(name)) return { fault: 'its name is empty, too long or holds what no cookie’s name can' };
  if (!VALUE.test(value)) return { fault: 'its value is too long or holds what no cookie’s value can' };
  if (domain === undefined) return { fault: 'its domain is no host name' };
  if (!PATH.test(path)) return { fault: 'its path does not begin with /, or is too long' };
  if (expires === undefined) return { fault: 'expires: expected seconds since 1970 or a date' };
  return {
    ...{ name, value, domain, path, expires },
    isForSubdomains: hostOnly === undefined || hostOnly === null ? asked.startsWith('.') : !hostOnly,
    secure: secure ?? false,
    httpOnly: httpOnly ?? false,
    sameSite: SAME_SITE[(policy ?? '').toLowerCase()] ?? '',
  };
}

function parsedHost(host: string): string | undefined {
  const parsed = parseWebUrl(`https://${host}/`);
  return parsed.ok && parsed.url.port === '' && parsed.url.pathname === '/' ? parsed.url.hostname : undefined;
}

/** When a cookie ends; 0 with the session, undefined where that can't be read. */
function secondsOf(expires: number | string): number | undefined {
  const told = typeof expires === 'string' ? Date.parse(expires) / 1_000 : expires;
  if (!Number.isFinite(told)) return undefined;
  const seconds = told >= MILLISECONDS_FROM ? told / 1_000 : told;
  return seconds < 1 ? 0 : Math.min(Math.floor(seconds), LATEST_SECONDS);
}
