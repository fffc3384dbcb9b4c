import type { z } from 'zod';
import type { crawlRoutes } from '../routes/crawl.ts';
import type { ConfigKey } from '../schemas/config.ts';
import type { ScrapeOptions } from '../schemas/scrape-config.ts';
import { type RunWish, toProjectRun } from './project-run.ts';
import type { FieldOf } from './run-scope.ts';

/** What a request to crawl says of how it is to be done. */
export type CrawlWish = Omit<z.output<(typeof crawlRoutes.startCrawl)['body']>, 'url' | 'webhook' | 'destination'>;

/** The short names of a crawl, and the keys they stand for. */
const SHORT_NAMES = {
  limit: 'max_pages',
  maxDepth: 'max_depth',
  includePaths: 'include_paths',
  excludePaths: 'exclude_paths',
  useSitemap: 'use_sitemap',
  sitemapMode: 'sitemap_mode',
  crawlMode: 'crawl_mode',
  allowSubdomains: 'allow_subdomains',
  maxAge: 'max_age_seconds',
  maxTier: 'max_tier',
  delay: 'delay_ms',
  concurrency: 'concurrency',
  respectRobots: 'respect_robots',
} as const satisfies Record<Exclude<keyof CrawlWish, 'scrapeOptions' | 'config'>, ConfigKey>;

/** The same of `scrapeOptions`. */
const OPTION_NAMES = {
  formats: 'formats',
  onlyMainContent: 'only_main_content',
  includeSelectors: 'include_selectors',
  excludeSelectors: 'exclude_selectors',
  waitFor: 'wait_for',
  actions: 'actions',
  headers: 'headers',
  fields: 'fields',
  screenshot: 'screenshot',
  maxAge: 'max_age_seconds',
} as const satisfies Record<keyof ScrapeOptions, ConfigKey>;

type Settings = Record<string, unknown>;

const renamed = (values: Readonly<Settings>, names: Readonly<Record<string, ConfigKey>>): Settings =>
  Object.fromEntries(
    Object.entries(names).flatMap(([short, key]) => (values[short] === undefined ? [] : [[key, values[short]]])),
  );

/** The configuration a crawl goes by, as a project would hold it: the short names win over `scrapeOptions`, which win over `config`. */
export const toCrawlConfig = ({ scrapeOptions = {}, config = {}, ...short }: CrawlWish): Settings => ({
  ...config,
  ...renamed(scrapeOptions, OPTION_NAMES),
  ...renamed(short, SHORT_NAMES),
});

/** Where in a request to crawl a key was asked for: by its short name, or within `config`. */
export function crawlFieldOf(wish: CrawlWish): FieldOf {
  const asked: Readonly<Settings> = wish;
  return (key) => {
    const short = Object.entries(SHORT_NAMES).find(([name, known]) => known === key && asked[name] !== undefined)?.[0];
    return short === undefined ? ['config', key] : [short];
  };
}

/**
 * What a crawl does, every value settled, and the configuration that says so.
 * @throws AppError validation (400) where two fields contradict each other
 */
export function toCrawlRun(wish: CrawlWish): RunWish & { readonly config: Settings } {
  const config = toCrawlConfig(wish);
  return { ...toProjectRun(config, crawlFieldOf(wish)), config };
}
