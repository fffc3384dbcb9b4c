import { AppError } from '@tidemark/errors';
import type { ConfigKey } from './config.ts';
import type { CrawlConfig } from './scrape-config.ts';
import { withFallback } from './with-fallback.ts';

/** Which pages a run visits, with all defaults filled in, in the shape used between services. */
export type RunScope = ReturnType<typeof resolveScope>;

/** Returns the path of the request field that sets a key. */
export type FieldOf = (key: ConfigKey) => readonly string[];

const inConfig: FieldOf = (key) => ['config', key];

/**
 * Resolves the scope of a run.
 * @throws AppError validation (400) if two keys contradict each other
 */
export function toScope(config: CrawlConfig, fieldOf: FieldOf = inConfig): RunScope {
  const scope = resolveScope(config);
  rejectContradictions(scope, fieldOf);
  return scope;
}

function resolveScope(config: CrawlConfig) {
  return {
    maxPages: withFallback(config, 'max_pages'),
    maxDepth: withFallback(config, 'max_depth'),
    includePaths: [...withFallback(config, 'include_paths')],
    excludePaths: [...withFallback(config, 'exclude_paths')],
    allowSubdomains: withFallback(config, 'allow_subdomains'),
    useSitemap: withFallback(config, 'use_sitemap'),
    sitemapMode: withFallback(config, 'sitemap_mode'),
    sitemapInclude: [...withFallback(config, 'sitemap_include')],
    sitemapExclude: [...withFallback(config, 'sitemap_exclude')],
    crawlMode: withFallback(config, 'crawl_mode'),
    urlList: [...withFallback(config, 'url_list')],
    feeds: [...withFallback(config, 'feeds')],
    ignoreQuery: [...withFallback(config, 'ignore_query')],
    keepTracking: withFallback(config, 'keep_tracking'),
    timeLimitMinutes: withFallback(config, 'time_limit_minutes'),
    concurrency: withFallback(config, 'concurrency'),
    delayMs: withFallback(config, 'delay_ms'),
  };
}

function rejectContradictions({ useSitemap, sitemapMode, crawlMode, urlList }: RunScope, fieldOf: FieldOf): void {
  const reject = (field: readonly string[], message: string): never => {
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', ...field], msg: message, type: 'contradiction' }],
    });
  };
  const needsSitemap = crawlMode === 'sitemap_only' || sitemapMode === 'only';
  if (needsSitemap && (!useSitemap || sitemapMode === 'skip')) {
    const field = fieldOf(useSitemap ? 'sitemap_mode' : 'use_sitemap');
    reject(field, `a crawl of the sitemap alone requires the sitemap, which ${field.join('.')} excludes`);
  }
  if (crawlMode === 'list_only' && urlList.length === 0) {
    const field = fieldOf('crawl_mode');
    reject(field, `${field.join('.')} "list_only" visits config.url_list, which is empty`);
  }
}
