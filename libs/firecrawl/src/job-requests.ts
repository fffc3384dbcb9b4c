import { entireDomain, withinPath } from './crawl-scope.ts';
import { type FieldNames, namesOf } from './field-names.ts';
import { refuseOption, refuseValue } from './refusal.ts';
import { pageFields, type Version } from './scrape-options.ts';
import {
  alwaysOn,
  entryOf,
  type Field,
  type Fields,
  fieldOf,
  flagAt,
  ignored,
  isObject,
  listAt,
  numberAt,
  type Settings,
  seconds,
  textAt,
  toConfig,
  toRequest,
  translate,
  unsupported,
} from './translate.ts';

/** URLs of one batch at most. */
const MAX_BATCH = 500;
/** Pages of a crawl without `limit`, as in Firecrawl. */
const DEFAULT_LIMIT = 10_000;
const MAX_MAP_LIMIT = 50_000;
const MAX_MAP_SECONDS = 60;

/** Events of the webhooks here by their names in Firecrawl. */
const CRAWL_EVENTS = {
  started: 'crawl.started',
  page: 'crawl.page',
  completed: 'crawl.completed',
  failed: 'crawl.failed',
};
const BATCH_EVENTS = { page: 'scrape.completed', completed: 'batch.finished', failed: 'scrape.failed' };

/** Translates `webhook`: a URL, or an object with events and metadata. */
const webhook = (events: Readonly<Record<string, string>>): Field =>
  fieldOf(
    `\`webhook\` with url, events and metadata: ${Object.entries(events)
      .map((pair) => pair.join(' → '))
      .join(', ')}`,
    (value, name) => {
      const given: Settings = isObject(value) ? value : { url: textAt(value, name) };
      const { url, events: requested, metadata, headers, ...others } = given;
      if (isObject(headers) && Object.keys(headers).length > 0)
        refuseOption(`${name}.headers`, 'messages are signed instead; use metadata for values of your own');
      for (const other of Object.keys(others)) refuseOption(`${name}.${other}`);
      const eventAt = (event: unknown, at: number): string => {
        const where = `${name}.events[${at}]`;
        return entryOf(events, textAt(event, where)) ?? refuseValue(where, Object.keys(events).join(', '));
      };
      const chosen = requested === undefined ? {} : { events: listAt(requested, `${name}.events`).map(eventAt) };
      return { request: { webhook: { url, ...chosen, ...(metadata === undefined ? {} : { metadata }) } } };
    },
  );

/** Patterns of Firecrawl are regular expressions over the path. */
const paths = (key: 'includePaths' | 'excludePaths'): Field =>
  fieldOf(`\`${key}\` with the prefix \`re:\`; the expressions (RE2) match the path and the query`, (value, name) => ({
    request: { [key]: listAt(value, name).map((pattern, at) => `re:${textAt(pattern, `${name}[${at}]`)}`) },
  }));

const SITEMAP_MODES: Readonly<Record<string, string>> = { include: 'auto', only: 'only', skip: 'skip' };

const sitemap = fieldOf('`sitemapMode`: include → auto, only, skip', (value, name) => {
  const mode = entryOf(SITEMAP_MODES, textAt(value, name));
  return mode === undefined ? refuseValue(name, 'include, only or skip') : { request: { sitemapMode: mode } };
});

const ignoreSitemap = fieldOf('`sitemapMode` skip', (value, name) => ({
  request: { sitemapMode: flagAt(value, name) ? 'skip' : 'auto' },
}));

/** Translates options of the pages into the configuration of the job. */
const options = (version: Version): Field =>
  fieldOf('`config`: the fields of a scrape, except url', (value, name) => ({
    config: translate(value, pageFields(version), name).config,
  }));

export const crawlFields = (version: Version): Fields => ({
  url: toRequest('url'),
  limit: toRequest('limit'),
  maxDiscoveryDepth: toRequest('maxDepth'),
  includePaths: paths('includePaths'),
  excludePaths: paths('excludePaths'),
  allowSubdomains: toRequest('allowSubdomains'),
  maxConcurrency: toRequest('concurrency'),
  delay: fieldOf('`delay`, × 1,000', (value, name) => ({
    request: { delay: Math.round(numberAt(value, name) * 1_000) },
  })),
  ignoreRobotsTxt: fieldOf('`respectRobots`, negated', (value, name) => ({
    request: { respectRobots: !flagAt(value, name) },
  })),
  webhook: webhook(CRAWL_EVENTS),
  scrapeOptions: options(version),
  crawlEntireDomain: entireDomain,
  ...(version === 'v1' ? { allowBackwardLinks: entireDomain } : {}),
  deduplicateSimilarURLs: alwaysOn('URLs that differ only in spelling are fetched once'),
  origin: ignored,
  integration: ignored,
  ignoreQueryParameters: unsupported('name the parameters in ignore_query of POST /v1/crawl'),
  allowExternalLinks: unsupported('a crawl stays on its site; start one crawl per site'),
  regexOnFullURL: unsupported('patterns match the path and the query'),
  prompt: unsupported('set the options themselves'),
  zeroDataRetention: unsupported('pages are stored for one day'),
  robotsUserAgent: unsupported('robots.txt is read for Tidemark'),
  stopOnContent: unsupported(),
  ...(version === 'v1' ? { maxDepth: toRequest('maxDepth'), ignoreSitemap } : { sitemap }),
});

/** Bodies that are stored only if html is. */
const NEEDS_HTML = ['cleanHtml', 'rawHtml'];

/** Translates the body of POST /crawl. @throws Refusal */
export function toCrawlBody(body: unknown, version: Version): Settings {
  const { request, config } = translate(body, crawlFields(version));
  const formats = Array.isArray(config['formats']) ? config['formats'] : [];
  const stored = formats.some((format) => NEEDS_HTML.includes(format)) ? { store_html: 'always' } : {};
  return { limit: DEFAULT_LIMIT, ...withinPath(request), config: { ...config, ...stored } };
}

export const batchFields = (version: Version): Fields => ({
  ...pageFields(version),
  urls: toRequest('urls'),
  webhook: webhook(BATCH_EVENTS),
  ignoreInvalidURLs: toRequest('ignoreInvalid'),
  maxConcurrency: toConfig('concurrency'),
  appendToId: unsupported('start another batch'),
});

/** Translates the body of POST /batch/scrape. @throws Refusal */
export function toBatchBody(body: unknown, version: Version): Settings {
  const { request, config } = translate(body, batchFields(version));
  const urls = listAt(request['urls'], 'urls');
  if (urls.length > MAX_BATCH) refuseValue('urls', `at most ${MAX_BATCH} URLs in one batch; got ${urls.length}`);
  // Firecrawl sets invalid URLs aside by default since v2.
  return { ignoreInvalid: version === 'v2', ...request, config };
}

export const mapFields = (version: Version): Fields => ({
  url: toRequest('url'),
  search: toRequest('search'),
  limit: fieldOf(`\`limit\`, at most ${MAX_MAP_LIMIT}`, (value, name) => ({
    request: { limit: Math.min(MAX_MAP_LIMIT, numberAt(value, name)) },
  })),
  includeSubdomains: toRequest('allowSubdomains'),
  timeout: fieldOf(
    `\`timeout\`, ÷ 1,000, at most ${MAX_MAP_SECONDS}; then 408, and the map continues`,
    (value, name) => ({
      request: { timeout: seconds(numberAt(value, name), MAX_MAP_SECONDS) },
    }),
  ),
  // The map lists URLs as the sitemaps state them, and reads the files each time.
  origin: ignored,
  integration: ignored,
  ignoreCache: ignored,
  auditMetadata: ignored,
  ignoreQueryParameters: unsupported('URLs are listed as the site states them'),
  location: unsupported('a map has no location'),
  headers: unsupported('a map sends no other headers'),
  ...(version === 'v1'
    ? {
        ignoreSitemap,
        sitemapOnly: fieldOf('`sitemapMode` only', (value, name) =>
          flagAt(value, name) ? { request: { sitemapMode: 'only' } } : {},
        ),
      }
    : { sitemap }),
});

/** Translates the body of POST /map. @throws Refusal */
export const toMapBody = (body: unknown, version: Version): Settings => ({
  limit: 5_000,
  timeout: MAX_MAP_SECONDS,
  ...translate(body, mapFields(version)).request,
});

export const crawlNames = (version: Version): FieldNames =>
  new Map([...namesOf(pageFields(version), 'scrapeOptions.'), ...namesOf(crawlFields(version))]);
export const batchNames = (version: Version): FieldNames => namesOf(batchFields(version));
export const mapNames = (version: Version): FieldNames => namesOf(mapFields(version));
