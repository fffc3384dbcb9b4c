import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { filelike } from './file-kinds.ts';
import { type PageUrl, parameterFilter, toPageUrl } from './page-url.ts';
import { compilePatterns, faultIn } from './url-patterns.ts';

/** How a URL was discovered. The seed and listed URLs are fetched regardless of patterns. */
export type FoundVia = 'seed' | 'sitemap' | 'list' | 'feed' | 'link' | 'redirect' | 'canonical';

/** Whether a run may visit a URL, and if not, why. */
export type ScopeDecision =
  | { readonly follow: true; readonly page: PageUrl }
  | { readonly follow: false; readonly reason: string };

/** The compiled scope of a run. */
export interface ScopeRules {
  evaluate(href: string, via: FoundVia): ScopeDecision;
  /** Returns the normalized URL, in scope or not; undefined if it is not a web URL. */
  pageUrlOf(href: string): PageUrl | undefined;
  /** Whether a URL belongs to the site. */
  isOfSite(href: string): boolean;
  /** Whether the entries of a sitemap file are visited: `sitemap_include` and `sitemap_exclude` match the URL of the file, never of its entries. */
  readsFile(file: string): boolean;
  /** Whether links are followed. */
  readonly followsLinks: boolean;
  readonly readsSitemap: boolean;
  /** Feeds are read in the mode `sitemap_only` too, since they are configured explicitly, but not in `list_only`. */
  readonly readsFeeds: boolean;
  readonly fetchesSeed: boolean;
  readonly maxDepth: number;
}

/** Pattern fields of a scope with their setting names. */
export const PATTERN_FIELDS = [
  ['includePaths', 'include_paths'],
  ['excludePaths', 'exclude_paths'],
  ['sitemapInclude', 'sitemap_include'],
  ['sitemapExclude', 'sitemap_exclude'],
] as const;

/** Rejects invalid patterns. @throws AppError validation with the setting's name; a service that uses another name for the setting translates it */
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

/** Returns the host name without `www.` and without a trailing dot, for comparison of sites. */
const withoutWww = (hostname: string): string => hostname.replace(/^www\./, '').replace(/\.$/, '');

const isDeclaredOnly = ({ crawlMode, sitemapMode }: Scope): boolean =>
  crawlMode === 'sitemap_only' || sitemapMode === 'only';

/** Whether a run with this scope follows links. */
export const followsLinks = (scope: Scope): boolean => scope.crawlMode !== 'list_only' && !isDeclaredOnly(scope);

/** Compiles the scope of a run. `home`: the host the seed redirects to, if it differs. */
export function scopeRules(seed: string, scope: Scope, home?: string): ScopeRules {
  const homes = [new URL(seed), ...(home === undefined ? [] : [new URL(`http://${home}`)])].map(siteOf);
  const include = compilePatterns(scope.includePaths);
  const exclude = compilePatterns(scope.excludePaths);
  const sitemapInclude = compilePatterns(scope.sitemapInclude);
  const sitemapExclude = compilePatterns(scope.sitemapExclude);
  const ignored = parameterFilter(scope);
  const isListed = scope.crawlMode === 'list_only';
  const isDeclared = isDeclaredOnly(scope);

  const isHome = (url: URL): boolean =>
    homes.some(({ name, port }) => {
      const host = withoutWww(url.hostname);
      return portOf(url) === port && (host === name || (scope.allowSubdomains && host.endsWith(`.${name}`)));
    });
  const refusal = (url: URL): string | undefined => {
    if (!isHome(url)) return 'another site';
    const ending = filelike(url.pathname);
    if (ending !== undefined) return `a .${ending} file contains no page`;
    const excluded = exclude.match(url);
    if (excluded !== undefined) return `matches exclude_paths ${excluded}`;
    return include.size > 0 && include.match(url) === undefined ? 'matches no include_paths' : undefined;
  };

  return {
    followsLinks: followsLinks(scope),
    readsSitemap: !isListed && (isDeclared || (scope.useSitemap && scope.sitemapMode !== 'skip')),
    readsFeeds: !isListed && scope.feeds.length > 0,
    fetchesSeed: !isListed && !isDeclared,
    maxDepth: scope.maxDepth,
    readsFile(file) {
      const url = sitemapInclude.size + sitemapExclude.size === 0 ? undefined : webUrl(file);
      if (url === undefined) return true;
      return (
        sitemapExclude.match(url) === undefined &&
        (sitemapInclude.size === 0 || sitemapInclude.match(url) !== undefined)
      );
    },
    pageUrlOf(href) {
      const url = webUrl(href);
      return url === undefined ? undefined : toPageUrl(url, ignored);
    },
    isOfSite(href) {
      const url = webUrl(href);
      return url !== undefined && isHome(url);
    },
    evaluate(href, via) {
      const url = webUrl(href);
      if (url === undefined) return { follow: false, reason: 'not a web URL' };
      const isNamed = via === 'seed' || via === 'list';
      const reason = isNamed ? undefined : refusal(url);
      if (reason !== undefined) return { follow: false, reason };
      const page = toPageUrl(url, ignored);
      return page === undefined ? { follow: false, reason: 'the URL is too long' } : { follow: true, page };
    },
  };
}

/** Ports distinguish sites, except that http and https on their default ports are one site. */
const portOf = ({ port }: URL): string => port;
const siteOf = (url: URL): { name: string; port: string } => ({ name: withoutWww(url.hostname), port: portOf(url) });

function webUrl(href: string): URL | undefined {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined;
  return url;
}
