import { AppError } from '@tidemark/errors';
import { type ConfigKey, type FieldOf, type ResolvedRun, toProjectRun } from '@tidemark/project-config';
import type { z } from 'zod';
import type { crawlRoutes } from '../routes/crawl.ts';
import type { ScrapeOptions } from '../schemas/scrape-options.ts';

/** The part of a crawl request that configures the run. */
export type CrawlRequest = Omit<z.output<(typeof crawlRoutes.startCrawl)['body']>, 'url' | 'webhook' | 'destination'>;

/** Short names of a crawl request and the configuration keys they set. */
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
} as const satisfies Record<Exclude<keyof CrawlRequest, 'scrapeOptions' | 'config'>, ConfigKey>;

/** Names in `scrapeOptions` and the configuration keys they set. */
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

/** Returns the configuration of a crawl as a project stores it. Short names take precedence over `scrapeOptions`, and those over `config`. */
export const toCrawlConfig = ({ scrapeOptions = {}, config = {}, ...short }: CrawlRequest): Settings => ({
  ...config,
  ...renamed(scrapeOptions, OPTION_NAMES),
  ...renamed(short, SHORT_NAMES),
});

/** Returns where a crawl request sets a key: its short name, or inside `config`. */
export function crawlFieldOf(request: CrawlRequest): FieldOf {
  const values: Readonly<Settings> = request;
  return (key) => {
    const short = Object.entries(SHORT_NAMES).find(([name, known]) => known === key && values[name] !== undefined)?.[0];
    return short === undefined ? ['config', key] : [short];
  };
}

/** Two different page limits are a mistake whose cost depends on which one wins. @throws AppError validation (400) */
function refuseTwoLimits({ limit, config }: CrawlRequest): void {
  const { max_pages: maxPages } = config ?? {};
  if (limit === undefined || maxPages === undefined || limit === maxPages) return;
  const msg = `limit is ${limit} and config.max_pages is ${String(maxPages)}; expected one of them, or the same number in both`;
  throw new AppError('validation', msg, {
    httpStatus: 400,
    detail: [['limit'], ['config', 'max_pages']].map((field) => ({
      loc: ['body', ...field],
      msg,
      type: 'contradiction',
    })),
  });
}

/**
 * Resolves a crawl request into a run and the configuration it came from.
 * @throws AppError validation (400) if two fields contradict each other
 */
export function toCrawlRun(request: CrawlRequest): ResolvedRun & { readonly config: Settings } {
  refuseTwoLimits(request);
  const config = toCrawlConfig(request);
  return { ...toProjectRun(config, crawlFieldOf(request)), config };
}
