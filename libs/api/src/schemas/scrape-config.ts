import { z } from 'zod';
import { CONFIG_KEYS, say } from './config.ts';
import { Formats } from './page.ts';

const capture = {
  render_js: CONFIG_KEYS.render_js.schema.describe(say('render_js')),
  max_tier: CONFIG_KEYS.max_tier.schema.describe(say('max_tier')),
  use_proxy: CONFIG_KEYS.use_proxy.schema.describe(say('use_proxy')),
  country: CONFIG_KEYS.country.schema.describe(say('country')),
  timeout_seconds: CONFIG_KEYS.timeout_seconds.schema.describe(say('timeout_seconds')),
  max_age_seconds: CONFIG_KEYS.max_age_seconds.schema.describe(say('max_age_seconds')),
  max_credits_per_page: CONFIG_KEYS.max_credits_per_page.schema.describe(say('max_credits_per_page')),
  headers: CONFIG_KEYS.headers.schema.describe(say('headers')),
  cookies: CONFIG_KEYS.cookies.schema.describe(say('cookies')),
  device: CONFIG_KEYS.device.schema.describe(say('device')),
  user_agent: CONFIG_KEYS.user_agent.schema.describe(say('user_agent')),
  wait_for: CONFIG_KEYS.wait_for.schema.describe(say('wait_for')),
  actions: CONFIG_KEYS.actions.schema.describe(say('actions')),
  block_resources: CONFIG_KEYS.block_resources.schema.describe(say('block_resources')),
  retries: CONFIG_KEYS.retries.schema.describe(say('retries')),
  concurrency: CONFIG_KEYS.concurrency.schema.describe(say('concurrency')),
  delay_ms: CONFIG_KEYS.delay_ms.schema.describe(say('delay_ms')),
  respect_robots: CONFIG_KEYS.respect_robots.schema.describe(say('respect_robots')),
  only_main_content: CONFIG_KEYS.only_main_content.schema.describe(say('only_main_content')),
  include_selectors: CONFIG_KEYS.include_selectors.schema.describe(say('include_selectors')),
  exclude_selectors: CONFIG_KEYS.exclude_selectors.schema.describe(say('exclude_selectors')),
  remove_banners: CONFIG_KEYS.remove_banners.schema.describe(say('remove_banners')),
  remove_base64_images: CONFIG_KEYS.remove_base64_images.schema.describe(say('remove_base64_images')),
  min_words: CONFIG_KEYS.min_words.schema.describe(say('min_words')),
  languages: CONFIG_KEYS.languages.schema.describe(say('languages')),
  fields: CONFIG_KEYS.fields.schema.describe(say('fields')),
  parse_documents: CONFIG_KEYS.parse_documents.schema.describe(say('parse_documents')),
  formats: CONFIG_KEYS.formats.schema.describe(say('formats')),
  screenshot: CONFIG_KEYS.screenshot.schema.describe(say('screenshot')),
  login_id: CONFIG_KEYS.login_id.schema.describe(say('login_id')),
};

/** Configuration a scrape takes. An unknown key is refused by name. */
export const ScrapeConfig = z.strictObject(capture).partial().meta({ id: 'ScrapeConfig' });
export type ScrapeConfig = z.output<typeof ScrapeConfig>;

/** Configuration a run goes by: which pages, how each is captured, and what is kept of it. */
export const CrawlConfig = z
  .strictObject({
    ...capture,
    max_pages: CONFIG_KEYS.max_pages.schema.describe(say('max_pages')),
    max_depth: CONFIG_KEYS.max_depth.schema.describe(say('max_depth')),
    include_paths: CONFIG_KEYS.include_paths.schema.describe(say('include_paths')),
    exclude_paths: CONFIG_KEYS.exclude_paths.schema.describe(say('exclude_paths')),
    allow_subdomains: CONFIG_KEYS.allow_subdomains.schema.describe(say('allow_subdomains')),
    use_sitemap: CONFIG_KEYS.use_sitemap.schema.describe(say('use_sitemap')),
    sitemap_mode: CONFIG_KEYS.sitemap_mode.schema.describe(say('sitemap_mode')),
    sitemap_include: CONFIG_KEYS.sitemap_include.schema.describe(say('sitemap_include')),
    sitemap_exclude: CONFIG_KEYS.sitemap_exclude.schema.describe(say('sitemap_exclude')),
    crawl_mode: CONFIG_KEYS.crawl_mode.schema.describe(say('crawl_mode')),
    url_list: CONFIG_KEYS.url_list.schema.describe(say('url_list')),
    feeds: CONFIG_KEYS.feeds.schema.describe(say('feeds')),
    ignore_query: CONFIG_KEYS.ignore_query.schema.describe(say('ignore_query')),
    time_limit_minutes: CONFIG_KEYS.time_limit_minutes.schema.describe(say('time_limit_minutes')),
    store_html: CONFIG_KEYS.store_html.schema.describe(say('store_html')),
  })
  .partial()
  .meta({ id: 'CrawlConfig' });
export type CrawlConfig = z.output<typeof CrawlConfig>;

/** The short names of what is asked for most; they win over `config`. */
export const ScrapeOptions = z
  .strictObject({
    formats: Formats,
    onlyMainContent: CONFIG_KEYS.only_main_content.schema.describe(say('only_main_content')),
    includeSelectors: CONFIG_KEYS.include_selectors.schema.describe(say('include_selectors')),
    excludeSelectors: CONFIG_KEYS.exclude_selectors.schema.describe(say('exclude_selectors')),
    waitFor: CONFIG_KEYS.wait_for.schema.describe(say('wait_for')),
    actions: CONFIG_KEYS.actions.schema.describe(say('actions')),
    headers: CONFIG_KEYS.headers.schema.describe(say('headers')),
    fields: CONFIG_KEYS.fields.schema.describe(say('fields')),
    screenshot: CONFIG_KEYS.screenshot.schema.describe(say('screenshot')),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.describe(say('max_age_seconds')),
  })
  .partial()
  .meta({ id: 'ScrapeOptions' });
export type ScrapeOptions = z.output<typeof ScrapeOptions>;
