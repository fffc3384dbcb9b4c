import type { Header } from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import type { Cookie, NameAndValue } from '../page/render-task.ts';

/** RFC 6265 section 5.2: any characters except those that end a name. */
const NAME = /^[^\p{Cc}\s=;]{1,4096}$/u;
const LINE = /^(?:\P{Cc}|\t)*$/u;
const MAX_VALUE = 8_000;
const HOST = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/**
 * Parses a requested cookie. Its value may have attributes as in Set-Cookie (RFC 6265 section 4.1.1); without attributes it
 * is a cookie of the page's host only. `Host` names a host without its subdomains, `Domain` one with them.
 * @throws AppError validation
 */
export function parseCookie({ name, value: text }: Header, page: URL): Cookie {
  if (!NAME.test(name)) throw invalid('cookies contains an invalid name');
  if (text.length > MAX_VALUE || !LINE.test(text))
    throw invalid(`cookies: a value must be a single line of at most ${MAX_VALUE} characters`);
  const [value = '', ...rest] = text.split(';');
  if (rest.length === 0) return hostCookie({ name, value: text }, page);
  const attributes = new Map(rest.map(parseAttribute));
  const domain = attributes.get('domain');
  const host = (domain ?? attributes.get('host') ?? page.hostname).toLowerCase();
  const path = attributes.get('path') ?? '/';
  if (!HOST.test(host) || !path.startsWith('/')) throw invalid('cookies contains an invalid domain or path');
  const sameSite = parseSameSite(attributes.get('samesite'));
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

/** Returns a cookie of the page's host only. */
export const hostCookie = ({ name, value }: NameAndValue, page: URL): Cookie => ({
  name,
  value,
  host: page.hostname,
  isForSubdomains: false,
  path: '/',
  secure: page.protocol === 'https:',
  httpOnly: false,
});

function parseAttribute(part: string): readonly [string, string] {
  const [name = '', ...value] = part.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

function parseSameSite(text = ''): Cookie['sameSite'] {
  const name = text.toLowerCase();
  return name === 'strict' || name === 'lax' || name === 'none' ? SAME_SITE[name] : undefined;
}

const invalid = (message: string): AppError => new AppError('validation', message);
