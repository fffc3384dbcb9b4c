import { describe, expect, it } from '@jest/globals';
import { routes } from '@tidemark/api';
import { toBatchBody, toCrawlBody, toMapBody } from './job-requests.ts';
import { Refusal } from './refusal.ts';
import { scrapeFields } from './scrape-options.ts';
import { translate } from './translate.ts';

const scrapeOf = (body: unknown) => {
  const { request, config } = translate(body, scrapeFields('v2'));
  return routes.startScrape.body.parse({ ...request, config });
};

/** Returns the refusal of a translation. */
function refusalOf(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const url = 'https://example.com/';

describe('a scrape in the terms of Firecrawl', () => {
  it('becomes a valid scrape with the same options', () => {
    const scrape = scrapeOf({
      url,
      formats: ['markdown', 'html', { type: 'rawHtml' }, 'links', { type: 'screenshot', fullPage: true }],
      headers: { 'x-one': '1' },
      location: { languages: ['de', 'en'] },
      includeTags: ['main'],
      excludeTags: ['nav'],
      onlyMainContent: false,
      waitFor: 1_500,
      mobile: true,
      timeout: 20_500,
      maxAge: 3_600_000,
      proxy: 'stealth',
      parsers: ['pdf'],
      origin: 'js-sdk@4.42.0',
    });
    expect(scrape).toMatchObject({
      url,
      timeout: 21,
      config: {
        formats: ['markdown', 'cleanHtml', 'rawHtml', 'links'],
        screenshot: 'full',
        headers: { 'x-one': '1', 'accept-language': 'de, en' },
        include_selectors: ['main'],
        exclude_selectors: ['nav'],
        only_main_content: false,
        wait_for: 1_500,
        device: 'mobile',
        max_age_seconds: 3_600,
        use_proxy: 'always',
        parse_documents: true,
      },
    });
  });

  it('extracts values by a schema through the connection that the format names', () => {
    const schema = { type: 'object', properties: { price: { type: 'number' } } };
    const format = { type: 'json', schema, prompt: 'In euros.', connectionId: 'con_1' };
    expect(scrapeOf({ url, formats: [format] }).config?.extract).toEqual({
      connection_id: 'con_1',
      schema,
      prompt: 'In euros.',
    });
  });

  it('types into the element that was clicked last', () => {
    const actions = [
      { type: 'click', selector: '#q' },
      { type: 'write', text: 'tide' },
      { type: 'press', key: 'Enter' },
      { type: 'wait', milliseconds: 200 },
      { type: 'scroll', direction: 'down' },
    ];
    expect(scrapeOf({ url, actions }).config?.actions).toEqual([
      { type: 'click', selector: '#q' },
      { type: 'type', selector: '#q', text: 'tide' },
      { type: 'press', key: 'Enter' },
      { type: 'wait', ms: 200 },
      { type: 'scroll', to: 'down' },
    ]);
  });

  it.each([
    ['a format without an equivalent', { formats: ['summary'] }, 'UNSUPPORTED_FORMAT', 'summary'],
    ['extraction without a schema', { formats: [{ type: 'json', prompt: 'a' }] }, 'BAD_REQUEST', 'formats[0].schema'],
    [
      'an option of a format',
      { formats: [{ type: 'screenshot', quality: 5 }] },
      'UNSUPPORTED_OPTION',
      'formats[0].quality',
    ],
    ['an option without an equivalent', { skipTlsVerification: true }, 'UNSUPPORTED_OPTION', 'skipTlsVerification'],
    ['an action without an equivalent', { actions: [{ type: 'pdf' }] }, 'UNSUPPORTED_OPTION', 'actions[0] of type pdf'],
    ['text without an element', { actions: [{ type: 'write', text: 'a' }] }, 'UNSUPPORTED_OPTION', 'actions[0]'],
    ['pages of a PDF', { parsers: [{ type: 'pdf', maxPages: 2 }] }, 'UNSUPPORTED_OPTION', 'parsers[0].maxPages'],
    ['a parser without an equivalent', { parsers: ['image'] }, 'UNSUPPORTED_OPTION', 'parsers[0] of type image'],
    ['an unknown field', { colour: 'blue' }, 'BAD_REQUEST', 'colour'],
    ['a name of a built-in property', { constructor: 1 }, 'BAD_REQUEST', 'constructor'],
    ['a value of another type', { timeout: 'long' }, 'BAD_REQUEST', 'timeout'],
  ])('is refused by name for %s', (_, fields, code, name) => {
    const refusal = refusalOf(() => scrapeOf({ url, ...fields }));
    expect(refusal).toMatchObject({ code });
    expect(refusal.message).toContain(name);
  });

  it('accepts an unsupported option whose value is false or empty', () => {
    expect(scrapeOf({ url, skipTlsVerification: false, redactPII: false, useMock: '' }).url).toBe(url);
  });
});

describe('a crawl in the terms of Firecrawl', () => {
  it('becomes a valid crawl whose patterns are regular expressions', () => {
    const body = toCrawlBody(
      {
        url,
        limit: 7,
        maxDiscoveryDepth: 2,
        includePaths: ['^/blog/.*$'],
        sitemap: 'skip',
        delay: 0.5,
        ignoreRobotsTxt: true,
        scrapeOptions: { formats: ['html'], timeout: 9_000 },
        webhook: { url: 'https://hooks.example/', events: ['page'], metadata: { a: 1 } },
      },
      'v2',
    );
    expect(routes.startCrawl.body.parse(body)).toMatchObject({
      limit: 7,
      maxDepth: 2,
      includePaths: ['re:^/blog/.*$'],
      sitemapMode: 'skip',
      delay: 500,
      respectRobots: false,
      config: { formats: ['cleanHtml'], store_html: 'always', timeout_seconds: 9 },
      webhook: { events: ['crawl.page'] },
    });
  });

  it.each(['allowExternalLinks', 'regexOnFullURL', 'ignoreQueryParameters'])('is refused by name for %s', (name) => {
    expect(refusalOf(() => toCrawlBody({ url, [name]: true }, 'v2')).message).toContain(name);
  });

  it('stays below the path of its start URL unless it covers the entire domain', () => {
    const docs = 'https://example.com/docs/v1.2/';
    const prefix = 're:^/docs/v1\\.2/';
    expect(toCrawlBody({ url: docs, crawlEntireDomain: false }, 'v2')).toMatchObject({ includePaths: [prefix] });
    expect(toCrawlBody({ url: docs }, 'v1')).toMatchObject({ includePaths: [prefix] });
    expect(toCrawlBody({ url: docs, crawlEntireDomain: true }, 'v2')).not.toHaveProperty('includePaths');
    expect(toCrawlBody({ url: docs, allowBackwardLinks: true }, 'v1')).not.toHaveProperty('includePaths');
    expect(toCrawlBody({ url, crawlEntireDomain: false }, 'v2')).not.toHaveProperty('includePaths');
    expect(toCrawlBody({ url, crawlEntireDomain: true }, 'v2')).not.toHaveProperty('crawlEntireDomain');
  });

  it('accepts patterns that begin with the path of its start URL, and refuses others by name', () => {
    const docs = 'https://example.com/docs';
    const inside = { url: docs, includePaths: ['^/docs/guide.*'] };
    expect(toCrawlBody(inside, 'v2')).toMatchObject({ includePaths: ['re:^/docs/guide.*'] });
    const { message } = refusalOf(() => toCrawlBody({ url: docs, includePaths: ['^/docs/a', '/guide'] }, 'v2'));
    expect(message).toContain('includePaths[1]');
    expect(message).toContain('crawlEntireDomain');
    const either = { url: docs, includePaths: ['^/docs/(a|b)', '^/docs/a|/b'] };
    expect(refusalOf(() => toCrawlBody(either, 'v2')).message).toContain('includePaths[1]');
  });
});

it('a batch of more URLs than one batch may have is refused with the limit', () => {
  const urls = Array.from({ length: 501 }, (_, at) => `${url}${at}`);
  expect(refusalOf(() => toBatchBody({ urls }, 'v2')).message).toContain('500');
});

it('a batch sets invalid URLs aside by default in v2 and refuses them in v1', () => {
  expect(toBatchBody({ urls: [url] }, 'v2')).toMatchObject({ ignoreInvalid: true });
  expect(toBatchBody({ urls: [url] }, 'v1')).toMatchObject({ ignoreInvalid: false });
});

it('a map becomes a valid map in both versions', () => {
  const v2 = toMapBody({ url, search: 'blog', includeSubdomains: true, sitemap: 'only', limit: 30_000 }, 'v2');
  expect(routes.startMap.body.parse(v2)).toMatchObject({ sitemapMode: 'only', allowSubdomains: true, limit: 30_000 });
  expect(routes.startMap.body.parse(toMapBody({ url, ignoreSitemap: true }, 'v1'))).toMatchObject({
    sitemapMode: 'skip',
  });
});
