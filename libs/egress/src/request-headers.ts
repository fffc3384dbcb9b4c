import { validateHeaderName, validateHeaderValue } from 'node:http';
import { FetchFailed } from './errors.ts';

/** Headers a caller may not set: framing and routing belong to the connection, and a wrong value splits requests. */
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

/** What tells a site nothing about its visitor beyond the kind of client; all else stays with the first origin. */
const CROSS_ORIGIN_SAFE = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** Headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Lower-cases and checks the headers of a request. Throws FetchFailed 'protocol' naming the header, never its value,
 * for CR, LF, NUL or any other character RFC 9110 section 5.5 forbids (threat S5), and for a reserved name.
 */
export function checkedHeaders(headers: Readonly<Record<string, string>>): RequestHeaders {
  const checked: Record<string, string> = {};
  for (const [givenName, value] of Object.entries(headers)) {
    const name = givenName.toLowerCase();
    if (RESERVED_HEADERS.has(name)) throw new FetchFailed('protocol', { detail: `the header ${name} cannot be set` });
    checkCharacters(name, value);
    checked[name] = value;
  }
  return checked;
}

/** What of them may follow a redirect to another origin: no credentials, no cookies, nothing custom. */
export function crossOriginHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CROSS_ORIGIN_SAFE.has(name)));
}

/** What of them describes a request body, to be dropped when a redirect turns the request into a GET. */
export function withoutBodyHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}

function checkCharacters(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    const shown = /^[a-z0-9-]{1,64}$/.test(name) ? `the header ${name}` : 'a header name';
    throw new FetchFailed('protocol', { detail: `${shown} holds a character no header may hold`, cause });
  }
}
