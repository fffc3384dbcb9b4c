import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { filelike } from './file-kinds.ts';
import { type PageAddress, pageAddress, parameterFilter } from './page-address.ts';
import { compilePatterns, faultIn } from './url-patterns.ts';

/** How an address was come by. What a person named is fetched whatever the patterns say. */
export type FoundVia = 'seed' | 'sitemap' | 'list' | 'feed' | 'link' | 'redirect' | 'canonical';

/** Whether a run may visit an address, and why not. */
export type ScopeDecision =
  | { readonly follow: true; readonly page: PageAddress }
  | { readonly follow: false; readonly reason: string };

/** What a run may visit, ready to be asked of many addresses. */
export interface ScopeRules {
  evaluate(address: string, via: FoundVia): ScopeDecision;
  /** The address as the run would know it, in scope or not; undefined where it is none. */
  addressOf(address: string): PageAddress | undefined;
  /** Whether an address belongs to the site at all. */
  isOfSite(address: string): boolean;
  /** Whether links are followed at all. */
  readonly followsLinks: boolean;
  readonly readsSitemap: boolean;
  /** Feeds were named by a person, who wants them beside sitemaps alone, too; a list is the whole of what is wanted. */
  readonly readsFeeds: boolean;
  readonly fetchesSeed: boolean;
  readonly maxDepth: number;
}

/** Patterns of a scope, and the settings that hold them. */
export const PATTERN_FIELDS = [
  ['includePaths', 'include_paths'],
  ['excludePaths', 'exclude_paths'],
  ['sitemapInclude', 'sitemap_include'],
  ['sitemapExclude', 'sitemap_exclude'],
] as const;

/** Refuses patterns that can't be used. @throws AppError validation, naming the setting: whoever was sent it by another name says so */
export function checkPatterns(scope: Scope): void {
  for (const [field, key] of PATTERN_FIELDS) {
    const fault = faultIn(scope[field]);
    if (fault === undefined) continue;
    const loc = ['body', 'config', key, fault.at];
    throw new AppError('validation', `config.${key}: pattern ${fault.at + 1} can't be used: ${fault.reason}`, {
      detail: [{ loc, msg: fault.reason, type: 'pattern_refused' }],
    });
  }
}

/** The name of a host as sites are compared: with or without `www.` it is one. */
const withoutWww = (hostname: string): string => hostname.replace(/^www\./, '').replace(/\.$/, '');

/** What a run of this seed may visit. `home`: the host its seed landed on, where that is another. */
export function scopeRules(seed: string, scope: Scope, home?: string): ScopeRules {
  const homes = [new URL(seed), ...(home === undefined ? [] : [new URL(`http://${home}`)])].map(siteOf);
  const include = compilePatterns(scope.includePaths);
  const exclude = compilePatterns(scope.excludePaths);
  const sitemapInclude = compilePatterns(scope.sitemapInclude);
  const sitemapExclude = compilePatterns(scope.sitemapExclude);
  const ignored = parameterFilter(scope.ignoreQuery);
  const isListed = scope.crawlMode === 'list_only';
  const isDeclared = scope.crawlMode === 'sitemap_only' || scope.sitemapMode === 'only';

  const isHome = (url: URL): boolean =>
    homes.some(({ name, port }) => {
      const host = withoutWww(url.hostname);
      return portOf(url) === port && (host === name || (scope.allowSubdomains && host.endsWith(`.${name}`)));
    });
  const refusal = (url: URL, via: FoundVia): string | undefined => {
    if (!isHome(url)) return 'another site';
    const ending = filelike(url.pathname);
    if (ending !== undefined) return `a .${ending} file holds no page`;
    const excluded = exclude.match(url);
    if (excluded !== undefined) return `matches excludePaths ${excluded}`;
    if (include.size > 0 && include.match(url) === undefined) return 'matches no includePaths';
    if (via !== 'sitemap') return undefined;
    if (sitemapExclude.match(url) !== undefined) return 'matches sitemap_exclude';
    if (sitemapInclude.size > 0 && sitemapInclude.match(url) === undefined) return 'matches no sitemap_include';
    return undefined;
  };

  return {
    followsLinks: !isListed && !isDeclared,
    readsSitemap: !isListed && (isDeclared || (scope.useSitemap && scope.sitemapMode !== 'skip')),
    readsFeeds: !isListed && scope.feeds.length > 0,
    fetchesSeed: !isListed && !isDeclared,
    maxDepth: scope.maxDepth,
    addressOf(address) {
      const url = webUrl(address);
      return url === undefined ? undefined : pageAddress(url, ignored);
    },
    isOfSite(address) {
      const url = webUrl(address);
      return url !== undefined && isHome(url);
    },
    evaluate(address, via) {
      const url = webUrl(address);
      if (url === undefined) return { follow: false, reason: 'no web address' };
      const isNamed = via === 'seed' || via === 'list';
      const reason = isNamed ? undefined : refusal(url, via);
      if (reason !== undefined) return { follow: false, reason };
      const page = pageAddress(url, ignored);
      return page === undefined ? { follow: false, reason: 'the address is too long' } : { follow: true, page };
    },
  };
}

/** Ports told apart, except that http and https on their own ports are one site. */
const portOf = ({ port }: URL): string => port;
const siteOf = (url: URL): { name: string; port: string } => ({ name: withoutWww(url.hostname), port: portOf(url) });

function webUrl(address: string): URL | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined;
  return url;
}
