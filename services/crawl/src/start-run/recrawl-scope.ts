import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { scopeRules } from '../domain/scope/scope-rules.ts';

/** URLs listed in one error. */
const MAX_NAMED = 20;

/**
 * Returns the scope of a recrawl: the listed pages only. `home`: the host the seed redirects to.
 * @throws AppError validation with the URLs that can't be visited or belong to another site
 */
export function recrawlScope(seed: string, scope: Scope, home: string | undefined): Scope {
  if (scope.urlList.length === 0) throw new AppError('validation', 'urls: a recrawl requires at least one URL');
  const rules = scopeRules(seed, scope, home);
  const faults = scope.urlList.flatMap((url, at) => {
    const decision = rules.evaluate(url, 'list');
    const msg = !decision.follow ? decision.reason : rules.isOfSite(url) ? undefined : 'another site';
    return msg === undefined ? [] : [{ url, msg, at }];
  });
  const [first] = faults;
  if (first !== undefined) {
    const detail = faults
      .slice(0, MAX_NAMED)
      .map(({ msg, at }) => ({ loc: ['body', 'urls', at], msg, type: 'address_refused' }));
    const more = faults.length > 1 ? `, and ${faults.length - 1} more can’t be visited` : '';
    throw new AppError('validation', `urls: ${first.url.slice(0, 200)}: ${first.msg}${more}`, { detail });
  }
  return {
    ...scope,
    maxPages: scope.urlList.length,
    useSitemap: false,
    sitemapMode: 'skip',
    crawlMode: 'list_only',
    feeds: [],
  };
}
