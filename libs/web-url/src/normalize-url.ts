import { createHash } from 'node:crypto';

/** RFC 3986 section 2.3: encoding these changes nothing, so the decoded form is the one kept. */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/**
 * The form in which two addresses are the same page: WHATWG serialisation without fragment, userinfo, default port,
 * trailing dot of the host or empty `?`; percent-encoding normalised (RFC 3986 section 6.2.2); query order kept.
 * Idempotent. Throws TypeError (code ERR_INVALID_URL) when the text is not an absolute URL.
 */
export function normalizeUrl(url: string | URL): string {
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    parsed.hash = '';
    return parsed.href;
  }
  dropTrailingDots(parsed);
  const path = normalizePercent(parsed.pathname);
  const query = normalizePercent(parsed.search);
  return `${parsed.protocol}//${parsed.host}${path}${query}`;
}

/** A key for the page, the same in every workspace: 64 hex digits, the SHA-256 of the normalised address. */
export function urlKey(url: string | URL): string {
  return createHash('sha256').update(normalizeUrl(url)).digest('hex');
}

function dropTrailingDots(url: URL): void {
  if (!url.hostname.endsWith('.')) return;
  const bare = url.hostname.replace(/\.+$/, '');
  // A host of dots only has no shorter form; the setter ignores an empty value for these schemes anyway.
  if (bare !== '') url.hostname = bare;
}

/**
 * Besides escapes, encodes the few characters that WHATWG leaves raw although RFC 3986 section 3.3 has them encoded:
 * pages link to ?a[]=1 and to ?a%5B%5D=1 and mean one thing.
 */
function normalizePercent(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})?|[[\]^`{|}]/g, (match, hex: string | undefined) => {
    if (match.charAt(0) !== '%') return `%${match.charCodeAt(0).toString(16).toUpperCase()}`;
    // A stray percent sign becomes %25: left alone it could join decoded digits into a new escape (%%34%31).
    if (hex === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
  });
}
