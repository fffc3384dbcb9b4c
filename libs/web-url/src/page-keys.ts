import { urlKey } from './normalize-url.ts';

/**
 * Returns the page keys that a URL may be stored under: those of both schemes, with and without its trailing slash, the URL itself first.
 * Empty for a text that is no URL.
 */
export function pageKeys(address: string): Buffer[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const { protocol, host, pathname, search } = url;
  const other = pathname.endsWith('/') ? pathname.replace(/\/+$/, '') : `${pathname}/`;
  const schemes = [protocol, protocol === 'https:' ? 'http:' : 'https:'];
  const urls = schemes.flatMap((scheme) => [pathname, other].map((path) => `${scheme}//${host}${path}${search}`));
  return [...new Set(urls.map((each) => urlKey(each)))].map((key) => Buffer.from(key, 'hex'));
}
