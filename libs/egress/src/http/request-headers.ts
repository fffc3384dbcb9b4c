import { validateHeaderName, validateHeaderValue } from 'node:http';
import { FetchFailed } from '../errors/errors.ts';

/** Headers of framing and routing, which callers may not set: a wrong value allows request splitting. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that may follow a redirect to another origin: they identify the kind of client only. */
const CROSS_ORIGIN_SAFE = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Lower-cases and checks the headers of a request. Throws FetchFailed 'protocol', which names the header but never its
 * value, for CR, LF, NUL and other characters that RFC 9110 section 5.5 forbids (threat S5), and for a reserved name.
 */
export function validateHeaders(headers: Readonly<Record<string, string>>): RequestHeaders {
  const checked: Record<string, string> = {};
  for (const [givenName, value] of Object.entries(headers)) {
    const name = givenName.toLowerCase();
    if (RESERVED_HEADERS.has(name)) throw new FetchFailed('protocol', { detail: `the header ${name} cannot be set` });
    checkCharacters(name, value);
    checked[name] = value;
  }
  return checked;
}

/** Returns the headers that may follow a redirect to another origin: no credentials, cookies or custom headers. */
export function crossOriginHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CROSS_ORIGIN_SAFE.has(name)));
}

/** Removes the headers that describe a body, for a redirect that becomes a GET. */
export function withoutBodyHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}

function checkCharacters(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    const shown = /^[a-z0-9-]{1,64}$/.test(name) ? `the header ${name}` : 'a header name';
    throw new FetchFailed('protocol', { detail: `${shown} contains a forbidden character`, cause });
  }
}
