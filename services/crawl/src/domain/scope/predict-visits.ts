import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { keyOfSeed } from './page-address.ts';
import type { FoundVia, ScopeDecision, ScopeRules } from './scope-rules.ts';

/** An address as a run that has ended knew it. */
export interface KnownPage {
  readonly key: Buffer;
  readonly url: string;
  readonly foundVia: string;
  readonly inSitemap: boolean;
  readonly depth: number;
  /** Pages of the run that link to it; null where it was not read, so that nobody knows. */
  readonly inLinks: number | null;
  /** It was read; otherwise it was left in the queue. */
  readonly isRead: boolean;
}

/** Says whether a run of a scope would visit an address that an earlier run knew, and why not. */
export type VisitPredictor = (page: KnownPage) => ScopeDecision;

/**
 * What a scope would do to known addresses. Each is judged by every way it may be come by again: named, declared by a sitemap or a feed, or
 * linked to. What is linked to lies no less deep than it did.
 */
export function predictVisits(seed: string, scope: Scope, rules: ScopeRules): VisitPredictor {
  const seedKey = keyOfSeed({ seed, scope })?.toString('latin1');
  const listed = new Set(scope.urlList.flatMap((url) => rules.addressOf(url)?.key.toString('latin1') ?? []));
  return (page) => {
    const key = page.key.toString('latin1');
    if (listed.has(key)) return rules.evaluate(page.url, 'list');
    if (rules.fetchesSeed && key === seedKey) return rules.evaluate(page.url, 'seed');
    const { discoveries, otherwise } = discoveriesOf(page, rules);
    const decisions = discoveries.map((via) => rules.evaluate(page.url, via));
    return decisions.find(({ follow }) => follow) ?? decisions[0] ?? { follow: false, reason: otherwise };
  };
}

/** How a page that nobody named may be come by; where there is no way, why not. */
function discoveriesOf(
  { inSitemap, foundVia, inLinks, depth }: KnownPage,
  rules: ScopeRules,
): { discoveries: FoundVia[]; otherwise: string } {
  const isLinked = foundVia === 'link' || foundVia === 'canonical' || (inLinks ?? 0) > 0;
  const isTooDeep = depth > rules.maxDepth;
  const declared: FoundVia[] = [
    ...(inSitemap && rules.readsSitemap ? (['sitemap'] as const) : []),
    ...(foundVia === 'feed' && rules.readsFeeds ? (['feed'] as const) : []),
  ];
  const discoveries: FoundVia[] = [
    ...(rules.maxDepth >= 1 ? declared : []),
    ...(rules.followsLinks && isLinked && !isTooDeep ? (['link'] as const) : []),
  ];
  if (isLinked && rules.followsLinks) return { discoveries, otherwise: 'deeper than max_depth' };
  if (declared.length > 0) return { discoveries, otherwise: 'deeper than max_depth' };
  if (isLinked) return { discoveries, otherwise: 'links are not followed' };
  return { discoveries, otherwise: WHY_NOT[foundVia] ?? 'nothing links to it' };
}

const WHY_NOT: Readonly<Record<string, string>> = {
  sitemap: 'only the sitemap names it, which is not read',
  feed: 'only a feed named it, and feeds are not read',
  list: 'it is not listed any more',
  seed: 'it is not the seed any more, and nothing links to it',
};
