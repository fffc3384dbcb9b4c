import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CrawlEnvelope, PageRow } from '@tidemark/api';
import { untilQuiet } from '@tidemark/testkit';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
/** A separate address on the fleet's allow-list. */
const ADDRESS = '127.0.0.6';
let server: Server;
let origin = '';
let workspace: Workspace;
const requestedPaths: string[] = [];
const requestedAtMs: number[] = [];
/** The header of the crawl whose requests are recorded; undefined: the crawls without one. */
let countedCrawl: string | undefined;
/** Responses for items that are held back; undefined: none is. */
let held: (() => void)[] | undefined;
const release = (): void => {
  for (const respond of held ?? []) respond();
  held = undefined;
};

const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
const page = (title: string, links: readonly string[], more = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${more}</head><body><main><h1>${title}</h1><p>${WORDS}</p>` +
  `<ul>${links.map((link) => `<li><a href="${link}">to ${link}</a></li>`).join('')}</ul></main></body></html>`;

/** A site of 3 × 10 pages, with a redirect, a 404, a page that only its sitemap lists and one that robots.txt disallows. */
const pages: Record<string, string> = {
  '/': page('Home', [
    '/section/0',
    '/section/1',
    '/section/2',
    '/moved',
    '/gone',
    '/private/x',
    '/about?utm_source=home',
  ]),
  '/about': page('About', ['/']),
  '/hidden': page('Hidden', ['/']),
  '/private/x': page('Private', []),
};
for (const section of [0, 1, 2]) {
  const items = Array.from({ length: 10 }, (_, i) => `/section/${section}/item-${i}`);
  pages[`/section/${section}`] = page(`Section ${section}`, ['/', ...items]);
  for (const item of items) pages[item] = page(item, ['/', `/section/${section}`]);
}

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    // A fetch that began before its crawl was cancelled may arrive in the next test.
    if (request.headers['x-crawl'] === countedCrawl) {
      requestedPaths.push(path);
      requestedAtMs.push(Date.now());
    }
    if (path === '/robots.txt')
      return void response.end(`User-agent: *\nDisallow: /private\nSitemap: ${origin}/sitemap.xml\n`);
    if (path === '/sitemap.xml') {
      const urls = ['/', '/about', '/hidden'].map((each) => `<url><loc>${origin}${each}</loc></url>`);
      return void response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`);
    }
    if (path === '/moved') return void response.writeHead(301, { location: '/about' }).end();
    const html = pages[path];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (html === undefined) return void response.writeHead(404).end(page('Not found', []));
    if (held !== undefined && path.includes('item')) return void held.push(() => response.end(html));
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  origin = `http://${ADDRESS}:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await fleet.close();
});

async function start(order: Readonly<Record<string, unknown>> = {}): Promise<CrawlEnvelope> {
  const { status, body, text } = await workspace.writer.post('/crawl', { url: `${origin}/`, ...order });
  if (status !== 202) throw new Error(`expected a crawl, got ${status} ${text}`);
  return body as CrawlEnvelope;
}

const read = async (id: string, query = ''): Promise<CrawlEnvelope> =>
  (await workspace.reader.get(`/crawl/${id}${query}`)).body as CrawlEnvelope;

const ended = (id: string): Promise<CrawlEnvelope> =>
  until(`crawl ${id} ends`, async () => {
    const crawl = await read(id, '?formats=none&limit=1');
    return crawl.status !== 'running' && crawl.status !== 'queued' && crawl;
  });

async function everyRow(id: string, query: string): Promise<PageRow[]> {
  const rows: PageRow[] = [];
  let path: string | null = `/crawl/${id}?${query}`;
  while (path !== null) {
    const body = (await workspace.reader.get(path)).body as CrawlEnvelope;
    rows.push(...body.data);
    path = body.next === null ? null : body.next.replace(`${fleet.url}/v1`, '');
  }
  return rows;
}

describe('a crawl', () => {
  test('fetches every allowed page once and reports how each was found', async () => {
    requestedPaths.length = 0;
    const { id } = await start({ config: { ignore_query: ['utm_source'] } });
    const crawl = await ended(id);
    expect(crawl).toMatchObject({ kind: 'crawl', status: 'done', stop: 'finished' });
    const rows = await everyRow(id, 'limit=7&formats=none');
    const read = rows.filter(({ verdict }) => verdict === 'ok').map(({ url }) => new URL(url).pathname);
    const reachable = Object.keys(pages).filter((path) => path !== '/private/x');
    expect(read.toSorted()).toEqual(reachable.toSorted());
    for (const path of reachable.filter((each) => each !== '/about')) {
      expect({ path, times: requestedPaths.filter((each) => each === path).length }).toEqual({ path, times: 1 });
    }
    expect(requestedPaths).not.toContain('/private/x');
    expect(rows.find(({ url }) => url === `${origin}/private/x`)).toMatchObject({ verdict: 'robots', credits: 0 });
    expect(rows.find(({ url }) => url === `${origin}/hidden`)).toMatchObject({ foundVia: 'sitemap', inSitemap: true });
    expect(rows.find(({ url }) => url === `${origin}/section/1/item-3`)).toMatchObject({
      foundVia: 'link',
      firstReferer: `${origin}/section/1`,
      inSitemap: false,
      depth: 2,
      inLinks: 1,
    });
    expect(crawl.creditsUsed).toBe(rows.reduce((sum, { credits }) => sum + credits, 0));
    expect(crawl.progress.done).toBe(rows.length);
  });

  test('fetches exactly `limit` pages', async () => {
    requestedPaths.length = 0;
    const { id } = await start({ limit: 12 });
    expect(await ended(id)).toMatchObject({ status: 'done', stop: 'page_limit' });
    const rows = await everyRow(id, 'limit=100&formats=none');
    expect(rows.filter(({ httpStatus }) => httpStatus !== null)).toHaveLength(12);
    // A redirected page takes two requests.
    expect(requestedPaths.filter((path) => path in pages || path === '/gone').length).toBeLessThanOrEqual(13);
  });

  test('stays within the requested paths and depth', async () => {
    const { id } = await start({ includePaths: ['/section/**'], excludePaths: ['/section/2/**'], useSitemap: false });
    await ended(id);
    const paths = (await everyRow(id, 'limit=100&formats=none')).map(({ url }) => new URL(url).pathname);
    expect(paths).toContain('/section/1/item-9');
    expect(paths.filter((path) => path.startsWith('/section/2/') || path === '/about')).toEqual([]);
    const shallow = await start({ maxDepth: 1, useSitemap: false });
    await ended(shallow.id);
    const near = (await everyRow(shallow.id, 'limit=100&formats=none')).map(({ url }) => new URL(url).pathname);
    expect(near.filter((path) => path.includes('item'))).toEqual([]);
  });

  test('returns each page with its bodies, under either scheme and with or without a trailing slash', async () => {
    const { id } = await start({ limit: 30, scrapeOptions: { formats: ['markdown', 'rawHtml'] } });
    await ended(id);
    for (const url of [
      origin.slice('http://'.length).concat('/about'),
      `${origin}/about`,
      `${origin}/about/`,
      `${origin}/about`.replace('http:', 'https:'),
    ]) {
      const read = () => workspace.reader.get(`/crawl/${id}/page?url=${encodeURIComponent(url)}`);
      // A page is stored shortly after it has ended.
      await until('the page to be stored', async () => (await read()).status !== 404);
      const { status, body } = await read();
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { markdown: expect.stringContaining('the tide came in') },
      });
      expect((body as PageRow).html).toContain('<title>About</title>');
    }
    const missing = await workspace.reader.get(`/crawl/${id}/page?url=${encodeURIComponent(`${origin}/nowhere`)}`);
    expect(errorOf(missing)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('returns the requested bodies by default, and html that `store_html` stores only where it is requested', async () => {
    const order = { url: `${origin}/about`, limit: 1, useSitemap: false, config: { store_html: 'always' } };
    const { body } = await workspace.writer.post('/crawl', { ...order, scrapeOptions: { formats: ['markdown'] } });
    const { id } = body as CrawlEnvelope;
    const rows = await until('the crawl has ended', async () => {
      const crawl = (await workspace.reader.get(`/crawl/${id}`)).body as CrawlEnvelope;
      return crawl.status === 'done' && crawl.data;
    });
    expect(rows).toMatchObject([{ markdown: expect.any(String) }]);
    expect(JSON.stringify(rows)).not.toContain('<main>');
    const { text } = await workspace.reader.get(`/crawl/${id}?formats=rawHtml`);
    expect(text).toContain('<main>');
  });

  test('streams all its rows as lines, which are those of the lists, each with a cursor to continue after it', async () => {
    const { id } = await start({ scrapeOptions: { formats: ['markdown', 'links'] } });
    await ended(id);
    const rows = await everyRow(id, 'limit=10');
    const lines = async (query = ''): Promise<{ cursor: string; row: PageRow }[]> => {
      const { status, headers, text } = await workspace.reader.get(`/crawl/${id}${query}`, {
        accept: 'application/x-ndjson',
      });
      expect({ status, type: headers.get('content-type'), complete: headers.get('crawl-complete') }).toEqual({
        status: 200,
        type: 'application/x-ndjson',
        complete: 'true',
      });
      expect(text.endsWith('\n')).toBe(true);
      return text
        .trimEnd()
        .split('\n')
        .map((line) => {
          const { cursor, ...row } = JSON.parse(line);
          return { cursor, row };
        });
    };
    const all = await lines();
    expect(all.map(({ row }) => row)).toEqual(rows);
    expect(rows.some(({ markdown }) => markdown?.includes('the tide came in') === true)).toBe(true);
    const rest = await lines(`?cursor=${all[29]?.cursor}&formats=none`);
    expect(rest.map(({ row }) => row.id)).toEqual(rows.slice(30).map((row) => row.id));
    expect(rest.every(({ row }) => row.markdown === undefined)).toBe(true);
  });

  test('ends the stream of lines of a running crawl after the pages that have ended, and states that it is not complete', async () => {
    held = [];
    const { id } = await start({ useSitemap: false });
    try {
      await until('the sections have ended', async () => (await read(id, '?formats=none')).data.length >= 4);
      const { headers, text } = await workspace.reader.get(`/crawl/${id}`, { accept: 'application/x-ndjson' });
      expect(headers.get('crawl-complete')).toBe('false');
      const urls = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).url);
      expect(urls).toContain(`${origin}/`);
      expect(urls.filter((url) => url.includes('item'))).toEqual([]);
    } finally {
      release();
    }
    await ended(id);
  });

  test('refuses a foreign cursor of a stream of lines with 422 before the first line', async () => {
    const { id } = await start({ limit: 1, useSitemap: false });
    await ended(id);
    const respond = await workspace.reader.get(`/crawl/${id}?cursor=abc`, { accept: 'application/x-ndjson' });
    expect(errorOf(respond)).toMatchObject({ status: 422, code: 'validation' });
  });

  test('returns the sets of its link graph and whether they are complete', async () => {
    const { id } = await start();
    await ended(id);
    const of = async (kind: string) =>
      (await workspace.reader.get(`/crawl/${id}/links?kind=${kind}`)).body as {
        data: { url: string; httpStatus: number | null }[];
        coverage: { verdict: boolean };
      };
    expect((await of('orphans')).data.map(({ url }) => url)).toEqual([`${origin}/hidden`]);
    expect((await of('orphans')).coverage.verdict).toBe(true);
    expect((await of('dead_ends')).data).toEqual([expect.objectContaining({ url: `${origin}/gone`, httpStatus: 404 })]);
    expect((await of('unlisted')).data.map(({ url }) => url)).toContain(`${origin}/section/0`);
  });

  test('stops when it is cancelled: no page is fetched after two seconds, and its pages stay stored', async () => {
    held = [];
    requestedPaths.length = 0;
    const { id } = await start({ concurrency: 2, useSitemap: false });
    await until('the start of the crawl', () => requestedPaths.some((path) => path.includes('item')));
    const cancelled = (await workspace.writer.delete(`/crawl/${id}`)).body as CrawlEnvelope;
    expect(cancelled).toMatchObject({ status: 'cancelled', stop: 'cancelled', next: null });
    const shown = await read(id);
    expect(Object.keys(cancelled)).toEqual(Object.keys(shown));
    expect(cancelled.data.map((row) => row.id)).toEqual(shown.data.map((row) => row.id));
    release();
    const before = await untilQuiet('the site', () => requestedPaths.length, { forMs: 1_500 });
    expect(new Set(requestedPaths).size).toBeLessThan(Object.keys(pages).length);
    expect(requestedPaths.length).toBe(before);
    expect((await everyRow(id, 'limit=100&formats=none')).length).toBeGreaterThan(0);
  });

  test('that is paused sends no request later than two seconds after the response, and continues when it is resumed', async () => {
    held = [];
    requestedPaths.length = 0;
    requestedAtMs.length = 0;
    countedCrawl = 'paused';
    const config = { headers: { 'x-crawl': countedCrawl } };
    const { id } = await start({ concurrency: 2, useSitemap: false, config });
    const itemsRequested = () => requestedPaths.filter((path) => path.includes('item')).length;
    await until('two slow pages to be fetched', () => {
      if (itemsRequested() === 2) return true;
      throw new Error(`requested: ${requestedPaths.join(' ')}`);
    });
    const paused = (await workspace.writer.post(`/crawl/${id}/pause`, {})).body as CrawlEnvelope;
    const answeredAtMs = Date.now();
    expect(paused).toMatchObject({ status: 'running', paused: true, next: expect.stringContaining(`/crawl/${id}?`) });
    expect(paused.data.length).toBeGreaterThan(0);
    release();
    await until('the pages in flight to end', async () => {
      const crawl = await read(id, '?formats=none&limit=100');
      return crawl.progress.done >= paused.progress.done + 2 && crawl.progress.queued > 0;
    });
    await untilQuiet('the site', () => requestedPaths.length, { forMs: 1_500 });
    expect(Math.max(...requestedAtMs)).toBeLessThanOrEqual(answeredAtMs + 2_000);
    expect(itemsRequested()).toBe(2);
    const resumed = (await workspace.writer.post(`/crawl/${id}/resume`, {})).body as CrawlEnvelope;
    expect(resumed).toMatchObject({ paused: false, next: expect.stringContaining(`/crawl/${id}?`) });
    expect(await ended(id)).toMatchObject({ status: 'done', stop: 'finished' });
    expect(itemsRequested()).toBe(30);
    countedCrawl = undefined;
  });

  test('is listed, newest first, for its workspace only and with a filter by status', async () => {
    const { id } = await start({ limit: 1 });
    await ended(id);
    type List = { readonly data: readonly { readonly id: string; readonly url: string }[] };
    const list = async (query: string, of = workspace) => (await of.reader.get(`/crawl${query}`)).body as List;
    expect((await list('')).data[0]).toMatchObject({ id, url: `${origin}/`, kind: 'crawl', status: 'done' });
    expect((await list('?status=done&limit=1')).data).toMatchObject([{ id }]);
    expect((await list('?status=queued')).data.map((crawl) => crawl.id)).not.toContain(id);
    expect((await list('', await fleet.workspaces.make())).data).toEqual([]);
  });

  test('is created once per Idempotency-Key, and the repeated request returns the first response with its secret', async () => {
    const order = { url: `${origin}/`, limit: 1, webhook: { url: 'https://example.com/hook', metadata: { a: 1 } } };
    const headers = { 'idempotency-key': 'crawl-once' };
    const first = (await workspace.writer.post('/crawl', order, headers)).body as CrawlEnvelope;
    const again = await workspace.writer.post('/crawl', order, headers);
    expect(first.webhookSecret).toMatch(/^whsec_/);
    expect(again.body).toEqual(first);
    expect((await workspace.reader.get(`/crawl/${first.id}`)).text).not.toContain('whsec_');
  });

  test.each([
    [{ limit: 0 }, 422, 'limit'],
    [{ includePaths: '/a' }, 422, 'includePaths'],
    [{ crawlMode: 'list_only' }, 400, 'crawlMode'],
    [{ useSitemap: false, sitemapMode: 'only' }, 400, 'useSitemap'],
    [{ includePaths: ['re:('] }, 422, 'includePaths'],
    [{ webhook: { url: 'http://127.0.0.1/' } }, 422, 'webhook'],
    [{ config: { colour: 1 } }, 422, 'config.colour'],
  ])('is rejected with %j, and the message names the field', async (order, status, field) => {
    const error = errorOf(await workspace.writer.post('/crawl', { url: `${origin}/`, ...order }));
    expect(error).toMatchObject({ status, code: 'validation' });
    expect(`${error.fields.join(' ')} ${error.error}`).toContain(field);
  });
});
