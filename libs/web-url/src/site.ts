import { getDomain } from 'tldts';

/**
 * The registrable domain of an address by the Public Suffix List, private suffixes included (a.github.io and
 * b.github.io are two sites). An IP address, a single label or a bare public suffix is its own site.
 * Throws TypeError (code ERR_INVALID_URL) when the text is not an absolute URL.
 */
export function siteOf(url: string | URL): string {
  const { hostname } = new URL(url);
  const host = hostname.replace(/\.+$/, '');
  if (host === '') return hostname;
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ?? host;
}

/** Whether two addresses share a registrable domain; the scheme does not matter. */
export function sameSite(a: string | URL, b: string | URL): boolean {
  return siteOf(a) === siteOf(b);
}
