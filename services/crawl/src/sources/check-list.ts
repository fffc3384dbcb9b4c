import type { ListedCheck } from '@tidemark/contracts/crawl/v1/crawl';
import type { ScopeRules } from '../domain/scope/scope-rules.ts';

const OFF_SITE = 'another site: a run fetches it, but it is no page of this site and its links are not followed';

/** Checks each URL of a list: its normalized form, and the problem if it is not usable as a page of the site. */
export function checkList(list: readonly string[], rules: ScopeRules): ListedCheck[] {
  const places = new Map<string, number>();
  return list.map((url, at) => {
    const decision = rules.evaluate(url, 'list');
    if (!decision.follow) return { url, normalized: '', problem: decision.reason };
    const { page } = decision;
    const key = page.key.toString('latin1');
    const first = places.get(key);
    if (first === undefined) places.set(key, at);
    const repeated = first === undefined ? '' : `the same page as entry ${first + 1}; it is visited once`;
    const problem = rules.isOfSite(url) ? repeated : OFF_SITE;
    return { url, normalized: page.url, problem };
  });
}
