import { describe, expect, it } from '@jest/globals';
import { ProjectConfig, toProjectRun } from '@tidemark/project-config';
import fc from 'fast-check';
import { crawlRoutes } from '../routes/crawl.ts';
import { toCrawlRun } from './crawl-run.ts';

const requestOf = (body: object) => {
  const {
    url: _,
    webhook: __,
    destination: ___,
    ...request
  } = crawlRoutes.startCrawl.body.parse({
    url: 'https://example.com/',
    ...body,
  });
  return request;
};
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const paths = fc.array(fc.constantFrom('/a/*', '/b', 're:^/c'), { maxLength: 3 });
const short = fc.record(
  {
    limit: fc.integer({ min: 1, max: 10_000 }),
    maxDepth: fc.integer({ min: 0, max: 100 }),
    includePaths: paths,
    excludePaths: paths,
    useSitemap: fc.constant(true),
    sitemapMode: fc.constantFrom('auto', 'only'),
    crawlMode: fc.constantFrom('sitemap_first', 'links_first'),
    allowSubdomains: fc.boolean(),
    maxAge: fc.integer({ min: 0, max: 1_000 }),
    maxTier: fc.constant('browser'),
    delay: fc.integer({ min: 0, max: 1_000 }),
    concurrency: fc.integer({ min: 1, max: 20 }),
    respectRobots: fc.boolean(),
    scrapeOptions: fc.record(
      {
        formats: fc.constantFrom('markdown,links', ['text']),
        onlyMainContent: fc.boolean(),
        includeSelectors: fc.constant(['main']),
        excludeSelectors: fc.constant(['.ad']),
        waitFor: fc.constantFrom(500, '#ready', 'network_idle'),
        actions: fc.constant([{ type: 'scroll' }, { type: 'wait' }]),
        headers: fc.constant({ a: 'b' }),
        fields: fc.constant({ price: { selector: '.price' } }),
        screenshot: fc.constantFrom('none', 'full'),
        maxAge: fc.integer({ min: 0, max: 1_000 }),
      },
      { requiredKeys: [] },
    ),
    config: fc.record(
      {
        formats: fc.constant(['cleanHtml']),
        country: fc.constant('de'),
        store_html: fc.constantFrom('home', 'always'),
        login_id: fc.constant('lgn_01j5xq2w8se6fa7t0a6q1n3k2m'),
        feeds: fc.constant(['https://example.com/feed']),
        fields: fc.constant({ title: { selector: 'h1', many: true } }),
        webhook_events: fc.constant(['run.finished']),
        notify_min_words: maybe(fc.integer({ min: 0, max: 50 })),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

describe('toCrawlRun', () => {
  it('returns a configuration that resolves to the same run when a project stores it', () => {
    fc.assert(
      fc.property(short, (body) => {
        const { config, ...run } = toCrawlRun(requestOf(body));
        const saved = ProjectConfig.parse(JSON.parse(JSON.stringify(config)));
        expect(toProjectRun(saved)).toEqual(run);
        expect(JSON.parse(JSON.stringify(saved))).toEqual(JSON.parse(JSON.stringify(config)));
      }),
    );
  });

  it('maps every short name to its configuration key and gives it precedence over config', () => {
    const scope = { includePaths: ['/a'], excludePaths: ['/b'], useSitemap: false, allowSubdomains: true };
    const modes = { sitemapMode: 'skip', crawlMode: 'links_first' };
    const { scope: resolved, options } = toCrawlRun(
      requestOf({
        limit: 7,
        maxDepth: 3,
        delay: 50,
        concurrency: 2,
        maxAge: 60,
        maxTier: 'http',
        respectRobots: false,
        ...scope,
        ...modes,
        scrapeOptions: { formats: 'text', onlyMainContent: false, headers: { a: 'short' }, maxAge: 30 },
        config: { max_pages: 7, formats: ['links'], headers: { a: 'config' }, min_words: 4 },
      }),
    );
    expect(resolved).toMatchObject({ ...scope, ...modes, maxPages: 7, maxDepth: 3, delayMs: 50, concurrency: 2 });
    expect(options).toMatchObject({
      formats: ['text'],
      onlyMainContent: false,
      headers: { a: 'short' },
      maxAgeSeconds: 60,

      maxTier: 'http',
      respectRobots: false,
      minWords: 4,
    });
  });

  it('refuses a limit with a different config.max_pages and names both with their values', () => {
    const both = (maxPages: number) => () => toCrawlRun(requestOf({ limit: 7, config: { max_pages: maxPages } }));
    expect(both(99)).toThrow(
      expect.objectContaining({
        code: 'validation',
        httpStatus: 400,
        message: expect.stringMatching(/^limit is 7 and config\.max_pages is 99/),
        detail: [{ loc: ['body', 'limit'] }, { loc: ['body', 'config', 'max_pages'] }].map(expect.objectContaining),
      }),
    );
    expect(both(7)()).toMatchObject({ scope: { maxPages: 7 } });
  });

  it('keeps keys that do not affect the run in the configuration', () => {
    const config = { webhook_url: 'https://example.com/hook', template_changes: 'each', notify_min_words: 3 };
    expect(toCrawlRun(requestOf({ limit: 5, config })).config).toEqual({ ...config, max_pages: 5 });
  });

  it('rejects contradictory fields under the name that the request used', () => {
    expect(() => toCrawlRun(requestOf({ crawlMode: 'list_only' }))).toThrow('crawlMode "list_only" visits');
    expect(() => toCrawlRun(requestOf({ config: { crawl_mode: 'list_only' } }))).toThrow(
      'config.crawl_mode "list_only"',
    );
    expect(() => toCrawlRun(requestOf({ sitemapMode: 'only', useSitemap: false }))).toThrow(
      'which useSitemap excludes',
    );
  });
});
