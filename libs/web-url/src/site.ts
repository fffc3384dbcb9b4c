import { getDomain } from 'tldts';

/**
 * Returns the registrable domain of a URL by the Public Suffix List, including private suffixes: a.github.io and b.github.io are two
 * sites. Returns the host itself for an IP address, a single label or a public suffix.
 * Throws TypeError (code ERR_INVALID_URL) when the text is not an absolute URL.
 */
export function siteOf(url: string | URL): string {
  const { hostname } = new URL(url);
  const host = hostname.replace(/\.+$/, '');
  if (host === '') return hostname;
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host;
}

/** Returns whether two URLs have the same registrable domain, whatever their schemes. */
export function sameSite(a: string | URL, b: string | URL): boolean {
  return siteOf(a) === siteOf(b);
}
