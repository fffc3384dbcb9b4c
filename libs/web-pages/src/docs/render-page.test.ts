import { describe, expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { CODES } from '@tidemark/errors';
import { delayText, EVENT_NAMES, EVENTS, RETRY_DELAYS_MINUTES, WEBHOOK_HEADERS } from '@tidemark/webhook-events';
import { z } from 'zod';
import { pagesOf } from './docs-pages.ts';
import { type Document, readDocument } from './openapi.ts';
import { renderPage, renderSearch, SEARCH_PAGE } from './render-page.ts';
import { makeSearchDocs } from './search-docs.ts';
import { WEBHOOK_SAMPLES } from './webhook-samples.ts';

const SERVER_URL = 'https://api.example/v1';

/** The first load of a page: it has one file. */
const PAGE_BYTES = 150 * 1_024;

const document = readDocument(buildOpenApi(Object.values(routes), SERVER_URL), [
  { title: 'Scrape', rows: [['waitFor', '`config.wait_for`']] },
]);
const pageTexts = (of: Document): string[] => pagesOf(of).map((page) => renderPage(of, page));
const texts = new Map(pagesOf(document).map((page) => [page.name, renderPage(document, page)]));
/** All pages as one text. */
const page = [...texts.values()].join('\n');

/** Returns the part of a page that describes a route. */
function articleOf(id: string): string {
  const start = page.indexOf(`<article class="route" id="${id}">`);
  return start === -1 ? '' : page.slice(start, page.indexOf('</article>', start));
}

describe('the pages of the documentation', () => {
  it.each(Object.values(routes))(
    'renders $method $path with its scope and a command for the documented server',
    (route) => {
      const article = articleOf(route.id);
      expect(article).toContain(route.summary);
      expect(article).toContain(`<span class="method ${route.method}">`);
      expect(article).toContain(`class="scope ${route.scope}"`);
      expect(article).toContain(`${SERVER_URL}${route.path.split('{')[0]}`);
      // Links of earlier releases lead to the guide, whose entry of the route leads to its page.
      expect(texts.get('')).toContain(`<li id="${route.id}">`);
    },
  );

  const withBody = Object.values(routes).filter(
    ({ body }) => body instanceof z.ZodObject && Object.keys(body.shape).length > 0,
  );
  it.each(withBody)('lists every body field of $method $path', ({ id, body }) => {
    const article = articleOf(id);
    const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    expect(fields.filter((name) => !article.includes(`<code class="name">${name}</code>`))).toEqual([]);
  });

  it.each(Object.entries(CODES))('explains the error code %s', (code, { http }) => {
    const row = page.slice(page.indexOf(`<tr id="error-${code}">`)).split('</tr>')[0];
    expect(row).toMatch(new RegExp(`<code>${code}</code></td><td>${http}</td><td>.{10,}</td>`));
  });

  it('have a target for every internal link, on every page', () => {
    const search = renderSearch(document, makeSearchDocs(document)('a'));
    const targets = [...texts, [SEARCH_PAGE, search] as const].flatMap(([name, text]) =>
      [...text.matchAll(/href="([^"]+)"/g)]
        .map(([, href = '']) => new URL(href, `https://docs.example/v1/docs${name === '' ? '' : `/${name}`}`))
        .filter(({ host, pathname }) => host === 'docs.example' && pathname.startsWith('/v1/docs')),
    );
    const missing = targets.filter(({ pathname, hash }) => {
      const name = pathname.slice('/v1/docs'.length + 1).replace(/\.md$/, '');
      const text = name === SEARCH_PAGE ? search : texts.get(name);
      return text === undefined || (hash !== '' && !text.includes(`id="${hash.slice(1)}"`));
    });
    expect(missing.map(String)).toEqual([]);
    expect(targets.length).toBeGreaterThan(1_000);
  });

  it.each([...texts])('have at most 150 KB each: "%s"', (_, text) => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE_BYTES);
  });

  it('are one per resource, each with the URL of its tag', () => {
    expect([...texts.keys()]).toEqual(
      expect.arrayContaining([
        '',
        'scrape',
        'saved-logins',
        'api-keys',
        'receive-webhooks',
        'webhook-events',
        'firecrawl',
      ]),
    );
    expect([...texts.keys()]).not.toContain(SEARCH_PAGE);
    expect(new Set(texts.keys()).size).toBe(pagesOf(document).length);
  });

  it('describe the fields of an object once per page, and link to the route that has them', () => {
    const crawl = texts.get('crawl') ?? '';
    expect(crawl).toMatch(/\d+ fields, described at <a href="\/v1\/docs\/crawl#\w+">/);
    expect(crawl.match(/<code class="name">robotsNoindex<\/code>/g) ?? []).toEqual([]);
  });
});

describe('the search of the documentation', () => {
  const search = makeSearchDocs(document);
  const hrefs = (query: string): string[] => search(query).found.map(({ href }) => href);

  it('finds routes by words of their summary, by path, by operation and by names of their fields', () => {
    expect(hrefs('start a batch')).toContain('/v1/docs/scrape#startScrape');
    expect(hrefs('post /v1/map')[0]).toBe('/v1/docs/map#startMap');
    expect(hrefs('keepcrawl')).toEqual(['/v1/docs/crawl#keepCrawl']);
    expect(hrefs('notify_min_words')).toContain('/v1/docs/projects#createProject');
  });

  it('finds events, error codes and names of Firecrawl', () => {
    expect(hrefs('page.changed')[0]).toBe('/v1/docs/webhook-events#event-page-changed');
    expect(hrefs('mfa_stale')[0]).toBe('/v1/docs#error-mfa_stale');
    expect(hrefs('waitFor')).toContain('/v1/docs/firecrawl#firecrawl');
  });

  it('requires every word, and states that nothing matches', () => {
    expect(hrefs('crawl zeppelin')).toEqual([]);
    expect(renderSearch(document, search('zeppelin'))).toContain('Nothing matches for “zeppelin”');
    expect(search('   ')).toEqual({ query: '', found: [], total: 0 });
  });

  it('shows hostile queries as text and cuts long ones', () => {
    const text = renderSearch(document, search(`"><script>alert(1)</script>${'x'.repeat(5_000)}`));
    expect(text).not.toContain('<script');
    expect(text.length).toBeLessThan(60_000);
  });
});

/** Returns the text of a part of the page, without markup. */
function textOf(start: string, end: string): string {
  const from = page.indexOf(start);
  const part = page.slice(from, page.indexOf(end, from));
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return part.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}

describe('the guide to webhooks of the documentation', () => {
  it('has the headers of a message, every retry delay and the verification in three languages', () => {
    const guide = textOf('<section class="route chapter" id="webhooks">', '</section>');
    for (const name of Object.keys(WEBHOOK_HEADERS)) expect(guide).toContain(name);
    expect(guide).toContain(RETRY_DELAYS_MINUTES.map(delayText).join(''));
    expect(WEBHOOK_SAMPLES).toHaveLength(3);
    for (const { code } of WEBHOOK_SAMPLES) expect(guide).toContain(code);
  });

  it.each(EVENT_NAMES)('has %s with its description and its whole payload', (name) => {
    const start = `<article class="route event" id="event-${name.replaceAll('.', '-')}">`;
    const article = textOf(start, '</article>');
    expect(article).toContain(EVENTS[name].description.replaceAll('`', ''));
    expect(article).toContain(`"event": "${name}"`);
    expect(article).toContain(JSON.stringify(EVENTS[name].example, null, 2).split('\n').slice(1, -1).join('\n  '));
  });
});

describe('the commands of the documentation', () => {
  it.each(Object.values(routes).filter(({ path }) => path.includes('{')))(
    'have an id of the right prefix in the path of $method $path',
    ({ id, path, params }) => {
      const article = textOf(`<article class="route" id="${id}">`, '</article>');
      const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => {
        const shape: Readonly<Record<string, z.ZodType>> = params.shape;
        const number = /such as (\d+)/.exec(shape[name]?.description ?? '')?.[1];
        if (number !== undefined) return number;
        return `${/such as ([a-z]+)_/.exec(shape[name]?.description ?? '')?.[1]}_[0-9a-z]{26}`;
      });
      expect(article).toMatch(new RegExp(`${SERVER_URL}${pattern}['?\\s]`));
    },
  );
});

describe('the security of the documentation', () => {
  it('has no scripts and no external resources', () => {
    expect(page).not.toMatch(/<script|\sstyle=|\son\w+=|<link rel="stylesheet"|@import|url\(/);
  });

  it('escapes hostile text in every part of a document', () => {
    const hostile = `"'><script>alert(1)</script>&lt;\u0000\${x}`;
    const schema = {
      type: 'object',
      properties: {
        [hostile]: { type: hostile, description: hostile, enum: [hostile], default: hostile, pattern: hostile },
      },
      required: [hostile],
    };
    const operation = {
      operationId: hostile,
      tags: [hostile],
      summary: hostile,
      description: `${hostile}\n\n\`${hostile}\``,
      'x-scope': hostile,
      parameters: [{ name: hostile, in: 'query', description: hostile, schema: { $ref: hostile, format: hostile } }],
      requestBody: { content: { 'application/json': { schema, example: { [hostile]: hostile } } } },
      responses: { [`2${hostile}`]: { content: { 'application/json': { schema } } } },
    };
    const text = pageTexts(
      readDocument({
        info: { title: hostile, version: hostile, description: hostile },
        servers: [{ url: hostile }],
        paths: { [hostile]: { post: operation } },
        components: { schemas: { [hostile]: schema } },
      }),
    ).join('\n');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;');
    expect(text).not.toContain('<script');
    // No hostile value opens or closes an attribute.
    expect(text.match(/"'>/g)).toBeNull();
  });

  it('quotes a hostile server URL for the shell', () => {
    const hostile = readDocument(buildOpenApi(Object.values(routes), "http://x';rm -rf ~;'/v1"));
    expect(pageTexts(hostile).join('\n')).toContain(
      'curl</b> &#39;http://x&#39;\\&#39;&#39;;rm -rf ~;&#39;\\&#39;&#39;/v1/me',
    );
  });

  it('renders a document with circular references and an empty document', () => {
    const loop = { $ref: '#/components/schemas/Loop' };
    const tree = {
      type: 'object',
      properties: { inside: { $ref: '#/components/schemas/Tree' } },
      required: ['inside'],
    };
    const respond = (schema: object) => ({ content: { 'application/json': { schema } } });
    const paths = {
      '/loop': { get: { operationId: 'loop', responses: { 200: respond(loop) } } },
      '/tree': { get: { operationId: 'tree', responses: { 200: respond(tree) } } },
    };
    const rendered = pageTexts(readDocument({ paths, components: { schemas: { Loop: loop, Tree: tree } } }));
    expect(rendered.join('\n')).toContain('<article class="route" id="tree">');
    expect(pageTexts(readDocument({})).join('\n')).toContain('<main');
  });
});
