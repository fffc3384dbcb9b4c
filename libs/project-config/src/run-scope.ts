import { AppError } from '@tidemark/errors';
import { CONFIG_KEYS, type ConfigKey } from './config.ts';
import type { CrawlConfig } from './scrape-config.ts';

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
    maxPages: config.max_pages ?? CONFIG_KEYS.max_pages.fallback,
    maxDepth: config.max_depth ?? CONFIG_KEYS.max_depth.fallback,
    includePaths: [...(config.include_paths ?? [])],
    excludePaths: [...(config.exclude_paths ?? [])],
    allowSubdomains: config.allow_subdomains ?? CONFIG_KEYS.allow_subdomains.fallback,
    useSitemap: config.use_sitemap ?? CONFIG_KEYS.use_sitemap.fallback,
    sitemapMode: config.sitemap_mode ?? CONFIG_KEYS.sitemap_mode.fallback,
    sitemapInclude: [...(config.sitemap_include ?? [])],
    sitemapExclude: [...(config.sitemap_exclude ?? [])],
    crawlMode: config.crawl_mode ?? CONFIG_KEYS.crawl_mode.fallback,
    urlList: [...(config.url_list ?? [])],
    feeds: [...(config.feeds ?? [])],
    ignoreQuery: [...(config.ignore_query ?? [])],
    keepTracking: config.keep_tracking ?? CONFIG_KEYS.keep_tracking.fallback,
    timeLimitMinutes: config.time_limit_minutes ?? CONFIG_KEYS.time_limit_minutes.fallback,
    concurrency: config.concurrency ?? CONFIG_KEYS.concurrency.fallback,
    delayMs: config.delay_ms ?? CONFIG_KEYS.delay_ms.fallback,
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
