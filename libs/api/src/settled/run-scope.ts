import { AppError } from '@tidemark/errors';
import type { z } from 'zod';
import type { crawlRoutes } from '../routes/crawl.ts';
import { CONFIG_KEYS } from '../schemas/config.ts';
import type { CrawlConfig } from '../schemas/scrape-config.ts';
import type { CaptureWish } from './capture-options.ts';

/** What says which pages a crawl visits, and how: a request to crawl, or a project's configuration alone. */
export type CrawlWish = Omit<z.output<(typeof crawlRoutes.startCrawl)['body']>, 'url' | 'webhook' | 'destination'>;

/** Which pages a run visits, every value settled, in the shape in which services tell each other. */
export type RunScope = ReturnType<typeof settled>;

/** Which pages a crawl visits, every value settled: short names win over `config`, which wins over the defaults. */
export function toScope(wish: CrawlWish): RunScope {
  const scope = settled(wish);
  refuseContradictions(scope, wish);
  return scope;
}

function settled(wish: CrawlWish) {
  const config: CrawlConfig = wish.config ?? {};
  return {
    maxPages: wish.limit ?? config.max_pages ?? CONFIG_KEYS.max_pages.fallback,
    maxDepth: wish.maxDepth ?? config.max_depth ?? CONFIG_KEYS.max_depth.fallback,
    includePaths: [...(wish.includePaths ?? config.include_paths ?? [])],
    excludePaths: [...(wish.excludePaths ?? config.exclude_paths ?? [])],
    allowSubdomains: wish.allowSubdomains ?? config.allow_subdomains ?? CONFIG_KEYS.allow_subdomains.fallback,
    useSitemap: wish.useSitemap ?? config.use_sitemap ?? CONFIG_KEYS.use_sitemap.fallback,
    sitemapMode: wish.sitemapMode ?? config.sitemap_mode ?? CONFIG_KEYS.sitemap_mode.fallback,
    sitemapInclude: [...(config.sitemap_include ?? [])],
    sitemapExclude: [...(config.sitemap_exclude ?? [])],
    crawlMode: wish.crawlMode ?? config.crawl_mode ?? CONFIG_KEYS.crawl_mode.fallback,
    urlList: [...(config.url_list ?? [])],
    feeds: [...(config.feeds ?? [])],
    ignoreQuery: [...(config.ignore_query ?? [])],
    timeLimitMinutes: config.time_limit_minutes ?? CONFIG_KEYS.time_limit_minutes.fallback,
    concurrency: wish.concurrency ?? config.concurrency ?? CONFIG_KEYS.concurrency.fallback,
    delayMs: wish.delay ?? config.delay_ms ?? CONFIG_KEYS.delay_ms.fallback,
  };
}

/** How each page is captured: what a scrape would be asked for. */
export function toCaptureWish({ scrapeOptions, config, maxAge, maxTier, respectRobots }: CrawlWish): CaptureWish {
  return {
    scrapeOptions,
    maxAge,
    config: {
      ...config,
      ...(maxTier === undefined ? {} : { max_tier: maxTier }),
      ...(respectRobots === undefined ? {} : { respect_robots: respectRobots }),
    },
  };
}

function refuseContradictions({ useSitemap, sitemapMode, crawlMode, urlList }: RunScope, wish: CrawlWish): void {
  // By the name under which it was asked for.
  const at = (short: keyof CrawlWish, key: keyof CrawlConfig): string[] =>
    wish[short] === undefined ? ['config', key] : [short];
  const refuse = (field: string[], message: string): never => {
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', ...field], msg: message, type: 'contradiction' }],
    });
  };
  const needsSitemap = crawlMode === 'sitemap_only' || sitemapMode === 'only';
  if (needsSitemap && (!useSitemap || sitemapMode === 'skip')) {
    const field = useSitemap ? at('sitemapMode', 'sitemap_mode') : at('useSitemap', 'use_sitemap');
    refuse(field, `a crawl of the sitemap alone needs the sitemap, which ${field.join('.')} rules out`);
  }
  if (crawlMode === 'list_only' && urlList.length === 0) {
    const field = at('crawlMode', 'crawl_mode');
    refuse(field, `${field.join('.')} "list_only" visits config.url_list, which is empty`);
  }
}
