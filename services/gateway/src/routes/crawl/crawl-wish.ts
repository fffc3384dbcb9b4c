import { CONFIG_KEYS, type CrawlConfig, type routes } from '@tidemark/api';
import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { z } from 'zod';
import type { CaptureWish } from '../scrape/capture-options.ts';

export type CrawlBody = z.output<(typeof routes.startCrawl)['body']>;

/** Which pages a crawl visits, every value settled: short names win over `config`, which wins over the defaults. */
export function toScope(body: CrawlBody): Scope {
  const config: CrawlConfig = body.config ?? {};
  const scope: Scope = {
    maxPages: body.limit ?? config.max_pages ?? CONFIG_KEYS.max_pages.fallback,
    maxDepth: body.maxDepth ?? config.max_depth ?? CONFIG_KEYS.max_depth.fallback,
    includePaths: [...(body.includePaths ?? config.include_paths ?? [])],
    excludePaths: [...(body.excludePaths ?? config.exclude_paths ?? [])],
    allowSubdomains: body.allowSubdomains ?? config.allow_subdomains ?? CONFIG_KEYS.allow_subdomains.fallback,
    useSitemap: body.useSitemap ?? config.use_sitemap ?? CONFIG_KEYS.use_sitemap.fallback,
    sitemapMode: body.sitemapMode ?? config.sitemap_mode ?? CONFIG_KEYS.sitemap_mode.fallback,
    sitemapInclude: [...(config.sitemap_include ?? [])],
    sitemapExclude: [...(config.sitemap_exclude ?? [])],
    crawlMode: body.crawlMode ?? config.crawl_mode ?? CONFIG_KEYS.crawl_mode.fallback,
    urlList: [...(config.url_list ?? [])],
    ignoreQuery: [...(config.ignore_query ?? [])],
    timeLimitMinutes: config.time_limit_minutes ?? CONFIG_KEYS.time_limit_minutes.fallback,
    concurrency: body.concurrency ?? config.concurrency ?? CONFIG_KEYS.concurrency.fallback,
    delayMs: body.delay ?? config.delay_ms ?? CONFIG_KEYS.delay_ms.fallback,
  };
  refuseContradictions(scope);
  return scope;
}

/** How each page is captured: what a scrape would be asked for. */
export function toCaptureWish({ scrapeOptions, config, maxAge, maxTier, respectRobots }: CrawlBody): CaptureWish {
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

function refuseContradictions({ useSitemap, sitemapMode, crawlMode, urlList }: Scope): void {
  const refuse = (key: string, message: string): never => {
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', key], msg: message, type: 'contradiction' }],
    });
  };
  const needsSitemap = crawlMode === 'sitemap_only' || sitemapMode === 'only';
  if (needsSitemap && (!useSitemap || sitemapMode === 'skip')) {
    refuse(
      'useSitemap',
      'a crawl of the sitemap alone needs the sitemap: useSitemap false or sitemapMode "skip" rules it out',
    );
  }
  if (crawlMode === 'list_only' && urlList.length === 0) {
    refuse('crawlMode', 'crawlMode "list_only" visits config.url_list, which is empty');
  }
}
