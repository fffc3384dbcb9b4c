import { z } from 'zod';

/** Replaces a secret in every response. */
export const MASK = '***';

/**
 * A path segment that is shown: words of at most 16 lower-case letters, or a version such as v1. Tokens and ids contain digits, capitals
 * or longer runs of letters.
 */
const PLAIN_SEGMENT = /^(?:v\d{1,3}|[a-z]{1,16}(?:[-_.][a-z]{1,16}){0,2})?$/;

/** Masks a URL whose path is a secret: `https://hooks.example/***`. */
export function maskUrl(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}/${MASK}`;
}

/**
 * Masks the parts of a URL that may be credentials: user name and password, the values of its query, its fragment and every path segment
 * that is not a plain word. `https://ops.example/hooks/T04F?token=1` becomes `https://ops.example/hooks/***?token=***`.
 */
export function maskUrlTokens(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return MASK;
  const { protocol, host, username, password, pathname, search, hash } = parsed;
  const user = username === '' && password === '' ? '' : `${MASK}@`;
  const path = pathname
    .split('/')
    .map((segment) => (PLAIN_SEGMENT.test(segment) ? segment : MASK))
    .join('/');
  const masked = `${protocol}//${user}${host}${path}${maskQuery(search)}${hash === '' ? '' : `#${MASK}`}`;
  // A URL without secrets is returned as it was given.
  return masked.includes(MASK) ? masked : url;
}

/** Masks the values of a query. A parameter without a value may be a token itself. */
const maskQuery = (search: string): string =>
  search
    .split('&')
    .map((pair, at) => {
      if (pair === '' || pair === '?') return pair;
      const [name = '', value] = pair.split(/=(.*)/s);
      const start = at === 0 ? '?' : '';
      return value === undefined ? `${start}${MASK}` : `${name}=${value === '' ? '' : MASK}`;
    })
    .join('&');

/** Returns whether a value is a URL that a response has masked. */
export const isMaskedUrl = (value: unknown): boolean =>
  typeof value === 'string' && value.includes(MASK) && (value === MASK || URL.canParse(value));

/** A masked URL that a client sends back. */
export const MaskedUrl = z
  .string()
  .max(2_048)
  .refine((value) => isMaskedUrl(value) && value === maskUrl(value), 'expected a URL')
  .describe('The masked URL, which keeps the stored one');
