import { urlKey } from './normalize-url.ts';

const SCHEMES = ['https:', 'http:'];

/**
 * Returns the page keys that a URL may be stored under: those of both schemes, with and without its trailing slash, the URL itself first.
 * Empty for a text that is no http or https URL.
 */
export function pageKeys(address: string): Buffer[] {
  const url = URL.parse(address);
  if (url === null || !SCHEMES.includes(url.protocol)) return [];
  const { protocol, host, pathname, search } = url;
  const other = pathname.endsWith('/') ? pathname.replace(/\/+$/, '') : `${pathname}/`;
  const schemes = [protocol, ...SCHEMES.filter((scheme) => scheme !== protocol)];
  const urls = schemes.flatMap((scheme) => [pathname, other].map((path) => `${scheme}//${host}${path}${search}`));
  return [...new Set(urls.map((each) => urlKey(each)))].map((key) => Buffer.from(key, 'hex'));
}
