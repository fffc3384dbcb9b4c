import { createHash } from 'node:crypto';

/** RFC 3986 section 2.3: encoded and plain forms of these characters are equivalent; the plain form is used. */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/**
 * Returns the canonical form of a URL; two URLs of one page are equal in this form. WHATWG serialisation without fragment, userinfo,
 * default port, trailing dot of the host or empty `?`; percent-encoding normalised (RFC 3986 section 6.2.2); query order unchanged.
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

/** Returns the page key: the SHA-256 of the normalised URL, 64 hex digits. It does not depend on the workspace. */
export function urlKey(url: string | URL): string {
  return createHash('sha256').update(normalizeUrl(url)).digest('hex');
}

function dropTrailingDots(url: URL): void {
  if (!url.hostname.endsWith('.')) return;
  const bare = url.hostname.replace(/\.+$/, '');
  // A host that consists only of dots is left unchanged: URL ignores an empty hostname for these schemes.
  if (bare !== '') url.hostname = bare;
}

/**
 * Normalises escapes, and encodes the characters that WHATWG leaves unencoded although RFC 3986 section 3.3 requires it, so that
 * ?a[]=1 and ?a%5B%5D=1 are equal.
 */
function normalizePercent(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})?|[[\]^`{|}]/g, (match, hex: string | undefined) => {
    if (match.charAt(0) !== '%') return `%${match.charCodeAt(0).toString(16).toUpperCase()}`;
    // A percent sign without digits is encoded; otherwise it could form a new escape with decoded digits (%%34%31).
    if (hex === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
  });
}
