import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { parseWebUrl } from '@tidemark/web-url';
import { checkPatterns, scopeRules } from '../domain/scope/scope-rules.ts';

const MAX_ADDRESSES = 1_000;

/**
 * Returns the indexes of the addresses that a run with this scope would leave out, however they were discovered. `landed`: the host the seed
 * redirects to. @throws AppError validation
 */
export function findOutOfScope(seed: string, scope: Scope, urls: readonly string[], landed?: string): number[] {
  if (urls.length > MAX_ADDRESSES) throw new AppError('validation', `urls: at most ${MAX_ADDRESSES}`);
  const home = parseWebUrl(seed);
  if (!home.ok) throw new AppError('validation', `seed: ${home.reason}`);
  checkPatterns(scope);
  const rules = scopeRules(home.url.href, scope, landed);
  const keyOf = (url: string): string | undefined => rules.addressOf(url)?.key.toString('latin1');
  const listed = new Set(scope.urlList.flatMap((url) => keyOf(url) ?? []));
  const seedKey = keyOf(home.url.href);
  return urls.flatMap((url, at) => {
    const key = keyOf(url);
    const via = key === undefined ? 'link' : listed.has(key) ? 'list' : key === seedKey ? 'seed' : 'link';
    return rules.evaluate(url, via).follow ? [] : [at];
  });
}
