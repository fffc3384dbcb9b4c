import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { keyOfSeed } from './page-address.ts';
import type { FoundVia, Judgement, ScopeRules } from './scope-rules.ts';

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
export type Foresee = (page: KnownPage) => Judgement;

/**
 * What a scope would do to known addresses. Each is judged by every way it may be come by again: named, declared by a sitemap or a feed, or
 * linked to. What is linked to lies no less deep than it did.
 */
export function foresight(seed: string, scope: Scope, rules: ScopeRules): Foresee {
  const seedKey = keyOfSeed({ seed, scope })?.toString('latin1');
  const listed = new Set(scope.urlList.flatMap((url) => rules.addressOf(url)?.key.toString('latin1') ?? []));
  return (page) => {
    const key = page.key.toString('latin1');
    if (listed.has(key)) return rules.judge(page.url, 'list');
    if (rules.wantsSeed && key === seedKey) return rules.judge(page.url, 'seed');
    const { ways, unless } = waysTo(page, rules);
    const judged = ways.map((via) => rules.judge(page.url, via));
    return judged.find(({ follow }) => follow) ?? judged[0] ?? { follow: false, reason: unless };
  };
}

/** How a page that nobody named may be come by; where there is no way, why not. */
function waysTo(
  { inSitemap, foundVia, inLinks, depth }: KnownPage,
  rules: ScopeRules,
): { ways: FoundVia[]; unless: string } {
  const isLinked = foundVia === 'link' || foundVia === 'canonical' || (inLinks ?? 0) > 0;
  const isTooDeep = depth > rules.maxDepth;
  const declared: FoundVia[] = [
    ...(inSitemap && rules.wantsSitemap ? (['sitemap'] as const) : []),
    ...(foundVia === 'feed' && rules.wantsFeeds ? (['feed'] as const) : []),
  ];
  const ways: FoundVia[] = [
    ...(rules.maxDepth >= 1 ? declared : []),
    ...(rules.followsLinks && isLinked && !isTooDeep ? (['link'] as const) : []),
  ];
  if (isLinked && rules.followsLinks) return { ways, unless: 'deeper than max_depth' };
  if (declared.length > 0) return { ways, unless: 'deeper than max_depth' };
  if (isLinked) return { ways, unless: 'links are not followed' };
  return { ways, unless: WHY_NOT[foundVia] ?? 'nothing links to it' };
}

const WHY_NOT: Readonly<Record<string, string>> = {
  sitemap: 'only the sitemap names it, which is not read',
  feed: 'only a feed named it, and feeds are not read',
  list: 'it is not listed any more',
  seed: 'it is not the seed any more, and nothing links to it',
};
