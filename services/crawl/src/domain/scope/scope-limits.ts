import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { normalizeUrl, parseWebUrl } from '@tidemark/web-url';

const MAX_PAGES = 10_000_000;
const MAX_DEPTH = 1_000;
const MAX_LIST = 50_000;
const MAX_FEEDS = 100;

/** Returns the normalized seed. @throws AppError validation */
export function readSeed(seed: string): string {
  const parsed = parseWebUrl(seed);
  if (parsed.ok) return normalizeUrl(parsed.url);
  throw new AppError('validation', `url: ${parsed.reason}`, {
    detail: [{ loc: ['body', 'url'], msg: parsed.reason, type: 'address_refused' }],
  });
}

/** Returns the scope with every number within the limits of the service. @throws AppError validation for too long lists */
export function limitScope(scope: Scope): Scope {
  const within = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);
  if (scope.urlList.length > MAX_LIST) throw new AppError('validation', `url_list: at most ${MAX_LIST} URLs`);
  if (scope.feeds.length > MAX_FEEDS) throw new AppError('validation', `feeds: at most ${MAX_FEEDS}`);
  return {
    ...scope,
    maxPages: within(scope.maxPages, 1, MAX_PAGES),
    maxDepth: within(scope.maxDepth, 0, MAX_DEPTH),
    concurrency: within(scope.concurrency, 1, 100),
    delayMs: within(scope.delayMs, 0, 3_600_000),
    timeLimitMinutes: within(scope.timeLimitMinutes, 1, 60 * 24 * 30),
  };
}
