import { z } from 'zod';
import { CONFIG_KEYS, describeKey } from './config.ts';

const capture = {
  render_js: CONFIG_KEYS.render_js.schema.describe(describeKey('render_js')),
  max_tier: CONFIG_KEYS.max_tier.schema.describe(describeKey('max_tier')),
  use_proxy: CONFIG_KEYS.use_proxy.schema.describe(describeKey('use_proxy')),
  country: CONFIG_KEYS.country.schema.describe(describeKey('country')),
  timeout_seconds: CONFIG_KEYS.timeout_seconds.schema.describe(describeKey('timeout_seconds')),
  max_age_seconds: CONFIG_KEYS.max_age_seconds.schema.describe(describeKey('max_age_seconds')),
  max_credits_per_page: CONFIG_KEYS.max_credits_per_page.schema.describe(describeKey('max_credits_per_page')),
  headers: CONFIG_KEYS.headers.schema.describe(describeKey('headers')),
  cookies: CONFIG_KEYS.cookies.schema.describe(describeKey('cookies')),
  device: CONFIG_KEYS.device.schema.describe(describeKey('device')),
  user_agent: CONFIG_KEYS.user_agent.schema.describe(describeKey('user_agent')),
  wait_for: CONFIG_KEYS.wait_for.schema.describe(describeKey('wait_for')),
  actions: CONFIG_KEYS.actions.schema.describe(describeKey('actions')),
  block_resources: CONFIG_KEYS.block_resources.schema.describe(describeKey('block_resources')),
  retries: CONFIG_KEYS.retries.schema.describe(describeKey('retries')),
  concurrency: CONFIG_KEYS.concurrency.schema.describe(describeKey('concurrency')),
  delay_ms: CONFIG_KEYS.delay_ms.schema.describe(describeKey('delay_ms')),
  respect_robots: CONFIG_KEYS.respect_robots.schema.describe(describeKey('respect_robots')),
  only_main_content: CONFIG_KEYS.only_main_content.schema.describe(describeKey('only_main_content')),
  include_selectors: CONFIG_KEYS.include_selectors.schema.describe(describeKey('include_selectors')),
  exclude_selectors: CONFIG_KEYS.exclude_selectors.schema.describe(describeKey('exclude_selectors')),
  remove_banners: CONFIG_KEYS.remove_banners.schema.describe(describeKey('remove_banners')),
  remove_base64_images: CONFIG_KEYS.remove_base64_images.schema.describe(describeKey('remove_base64_images')),
  omit_title_heading: CONFIG_KEYS.omit_title_heading.schema.describe(describeKey('omit_title_heading')),
  min_words: CONFIG_KEYS.min_words.schema.describe(describeKey('min_words')),
  languages: CONFIG_KEYS.languages.schema.describe(describeKey('languages')),
  fields: CONFIG_KEYS.fields.schema.describe(describeKey('fields')),
  extract: CONFIG_KEYS.extract.schema.describe(describeKey('extract')),
  parse_documents: CONFIG_KEYS.parse_documents.schema.describe(describeKey('parse_documents')),
  formats: CONFIG_KEYS.formats.schema.describe(describeKey('formats')),
  screenshot: CONFIG_KEYS.screenshot.schema.describe(describeKey('screenshot')),
  login_id: CONFIG_KEYS.login_id.schema.describe(describeKey('login_id')),
};

/** Configuration of a scrape. An unknown key is rejected by name. */
export const ScrapeConfig = z.strictObject(capture).partial().meta({ id: 'ScrapeConfig' });
export type ScrapeConfig = z.output<typeof ScrapeConfig>;

/** Configuration of a run: which pages, how each is captured, and what is stored. */
export const CrawlConfig = z
  .strictObject({
    ...capture,
    max_pages: CONFIG_KEYS.max_pages.schema.describe(describeKey('max_pages')),
    max_depth: CONFIG_KEYS.max_depth.schema.describe(describeKey('max_depth')),
    include_paths: CONFIG_KEYS.include_paths.schema.describe(describeKey('include_paths')),
    exclude_paths: CONFIG_KEYS.exclude_paths.schema.describe(describeKey('exclude_paths')),
    allow_subdomains: CONFIG_KEYS.allow_subdomains.schema.describe(describeKey('allow_subdomains')),
    use_sitemap: CONFIG_KEYS.use_sitemap.schema.describe(describeKey('use_sitemap')),
    sitemap_mode: CONFIG_KEYS.sitemap_mode.schema.describe(describeKey('sitemap_mode')),
    sitemap_include: CONFIG_KEYS.sitemap_include.schema.describe(describeKey('sitemap_include')),
    sitemap_exclude: CONFIG_KEYS.sitemap_exclude.schema.describe(describeKey('sitemap_exclude')),
    crawl_mode: CONFIG_KEYS.crawl_mode.schema.describe(describeKey('crawl_mode')),
    url_list: CONFIG_KEYS.url_list.schema.describe(describeKey('url_list')),
    feeds: CONFIG_KEYS.feeds.schema.describe(describeKey('feeds')),
    ignore_query: CONFIG_KEYS.ignore_query.schema.describe(describeKey('ignore_query')),
    keep_tracking: CONFIG_KEYS.keep_tracking.schema.describe(describeKey('keep_tracking')),
    time_limit_minutes: CONFIG_KEYS.time_limit_minutes.schema.describe(describeKey('time_limit_minutes')),
    store_html: CONFIG_KEYS.store_html.schema.describe(describeKey('store_html')),
  })
  .partial()
  .meta({ id: 'CrawlConfig' });
export type CrawlConfig = z.output<typeof CrawlConfig>;
