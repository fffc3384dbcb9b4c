import { fingerprint } from './url-fingerprint.ts';

/** Stamps of strings that are not dates start here, above all dates in seconds. */
const FIRST_TEXT_STAMP = 2 ** 31;
const CACHED_DATES = 1_000;

/** Returns a number by which two `lastmod` values are compared: Unix time in seconds, a hash for text that is not a date, 0 if empty. */
export function dateStamp(lastmod: string): number {
  if (lastmod === '') return 0;
  const seconds = Math.floor(Date.parse(lastmod) / 1_000);
  if (seconds > 0 && seconds < FIRST_TEXT_STAMP) return seconds;
  return FIRST_TEXT_STAMP + (fingerprint(lastmod) % FIRST_TEXT_STAMP);
}

/** Returns `dateStamp` with a cache: most sitemaps repeat few dates. */
export function makeDateStamp(): (lastmod: string) => number {
  const cache = new Map<string, number>();
  return (lastmod) => {
    const cached = cache.get(lastmod);
    if (cached !== undefined) return cached;
    const stamp = dateStamp(lastmod);
    if (cache.size < CACHED_DATES) cache.set(lastmod, stamp);
    return stamp;
  };
}
