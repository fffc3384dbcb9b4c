import type { Header } from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import type { Cookie, NameAndValue } from './page/order.ts';

/** As sites name theirs: anything but what would end a name. RFC 6265 5.2. */
const NAME = /^[^\p{Cc}\s=;]{1,4096}$/u;
const LINE = /^(?:\P{Cc}|\t)*$/u;
const VALUE_MAX = 8_000;
const HOST = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/**
 * A cookie as it is asked for: of the page's host alone, or, where attributes follow its value as in Set-Cookie (RFC 6265 4.1.1), as
 * they say. `Host` stands for a host without its subdomains, as `Domain` does for one with them. @throws AppError validation
 */
export function cookieOf({ name, value: given }: Header, page: URL): Cookie {
  if (!NAME.test(name)) throw invalid('cookies holds a name that is none');
  if (given.length > VALUE_MAX || !LINE.test(given))
    throw invalid(`cookies: a value is no line of at most ${VALUE_MAX} characters`);
  const [value = '', ...rest] = given.split(';');
  if (rest.length === 0) return ownCookie({ name, value: given }, page);
  const attributes = new Map(rest.map(attributeOf));
  const domain = attributes.get('domain');
  const host = (domain ?? attributes.get('host') ?? page.hostname).toLowerCase();
  const path = attributes.get('path') ?? '/';
  if (!HOST.test(host) || !path.startsWith('/')) throw invalid('cookies: a domain or a path is none');
  const sameSite = sameSiteOf(attributes.get('samesite'));
  return {
    name,
    value,
    host,
    isForSubdomains: domain !== undefined,
    path,
    secure: attributes.has('secure'),
    httpOnly: attributes.has('httponly'),
    ...(sameSite === undefined ? {} : { sameSite }),
  };
}

/** A cookie of the page's host alone. */
export const ownCookie = ({ name, value }: NameAndValue, page: URL): Cookie => ({
  name,
  value,
  host: page.hostname,
  isForSubdomains: false,
  path: '/',
  secure: page.protocol === 'https:',
  httpOnly: false,
});

function attributeOf(part: string): readonly [string, string] {
  const [name = '', ...value] = part.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

function sameSiteOf(text = ''): Cookie['sameSite'] {
  const name = text.toLowerCase();
  return name === 'strict' || name === 'lax' || name === 'none' ? SAME_SITE[name] : undefined;
}

const invalid = (message: string): AppError => new AppError('validation', message);
