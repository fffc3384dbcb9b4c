import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { keyOfSeed } from './page-url.ts';
import type { FoundVia, ScopeDecision, ScopeRules } from './scope-rules.ts';

/** A URL in the frontier of a run that has ended. */
export interface EarlierPage {
  readonly key: Buffer;
  readonly url: string;
  readonly foundVia: string;
  readonly inSitemap: boolean;
  readonly inFeed: boolean;
  /** Only sitemap files that the scope leaves out contain it. */
  readonly isInLeftOutFile?: boolean;
  readonly depth: number;
  /** Pages of the run that link to it; null if it was not fetched and the count is unknown. */
  readonly inLinks: number | null;
  /** It was fetched; otherwise it was left in the queue. */
  readonly isRead: boolean;
}

/** Returns whether a run with a scope would visit a URL of an earlier run, and why not. */
export type VisitPredictor = (page: EarlierPage) => ScopeDecision;

/**
 * Predicts which known URLs a scope would visit. Evaluates each way a URL can be discovered again: listed, declared by a sitemap or
 * feed, or linked to. Assumes the depth of linked URLs is unchanged.
 */
export function predictVisits(seed: string, scope: Scope, rules: ScopeRules): VisitPredictor {
  const seedKey = keyOfSeed({ seed, scope })?.toString('latin1');
  const listed = new Set(scope.urlList.flatMap((url) => rules.pageUrlOf(url)?.key.toString('latin1') ?? []));
  return (page) => {
    const key = page.key.toString('latin1');
    if (listed.has(key)) return rules.evaluate(page.url, 'list');
    if (rules.fetchesSeed && key === seedKey) return rules.evaluate(page.url, 'seed');
    const { discoveries, otherwise } = discoveriesOf(page, rules);
    const decisions = discoveries.map((via) => rules.evaluate(page.url, via));
    return decisions.find(({ follow }) => follow) ?? decisions[0] ?? { follow: false, reason: otherwise };
  };
}

/** Returns the ways a page that is not listed can be discovered, and the reason if there are none. */
function discoveriesOf(
  { inSitemap, inFeed, isInLeftOutFile = false, foundVia, inLinks, depth }: EarlierPage,
  rules: ScopeRules,
): { discoveries: FoundVia[]; otherwise: string } {
  const isLinked = foundVia === 'link' || foundVia === 'canonical' || (inLinks ?? 0) > 0;
  const isTooDeep = depth > rules.maxDepth;
  const declared: FoundVia[] = [
    ...(inSitemap && !isInLeftOutFile && rules.readsSitemap ? (['sitemap'] as const) : []),
    ...(inFeed && rules.readsFeeds ? (['feed'] as const) : []),
  ];
  const discoveries: FoundVia[] = [
    ...(rules.maxDepth >= 1 ? declared : []),
    ...(rules.followsLinks && isLinked && !isTooDeep ? (['link'] as const) : []),
  ];
  if (isLinked && rules.followsLinks) return { discoveries, otherwise: 'deeper than max_depth' };
  if (declared.length > 0) return { discoveries, otherwise: 'deeper than max_depth' };
  if (isLinked) return { discoveries, otherwise: 'links are not followed' };
  if (isInLeftOutFile)
    return {
      discoveries,
      otherwise: 'sitemap_include and sitemap_exclude leave out the sitemap files that contain it',
    };
  return { discoveries, otherwise: WHY_NOT[foundVia] ?? 'nothing links to it' };
}

const WHY_NOT: Readonly<Record<string, string>> = {
  sitemap: 'only the sitemap contains it, which is not read',
  feed: 'only a feed contained it, and feeds are not read',
  list: 'it is no longer listed',
  seed: 'it is no longer the seed, and nothing links to it',
};
