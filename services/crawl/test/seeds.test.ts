import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeScrapeWorkers, RunningService } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl, type Site, siteOf } from './crawl-servers.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
}, 120_000);
afterEach(async () => {
  await workers?.close();
  Object.assign(servers, { sitemap: [], files: {} });
});
afterAll(() => servers.close());

const fetchedPaths = (): string[] => [...(workers?.fetched.keys() ?? [])].map((url) => url.slice(HOME.length)).sort();

async function crawlOf(site: Site, scope: Parameters<ReturnType<typeof clientIn>['start']>[0] = {}) {
  workers = await servers.workers(siteOf(site));
  const client = clientIn(service);
  const { id } = await client.start(scope);
  return { client, id, run: await client.ended(id) };
}

describe('the start of a crawl', () => {
  const site: Site = {
    '/': { links: ['/linked', '/both'] },
    '/linked': {},
    '/both': {},
    '/alone': { links: ['/below'] },
    '/below': {},
  };
  const declared = ['/both', '/alone'].map((path) => `${HOME}${path}`);

  it('is the sitemap after the seed, unless links have priority', async () => {
    servers.sitemap = declared;
    const { client, id, run } = await crawlOf(site, { concurrency: 1 });
    expect(run.done).toBe(5);
    expect(await client.find(id, `${HOME}/alone`)).toMatchObject({ foundVia: 'sitemap', inSitemap: true });
    expect(await client.find(id, `${HOME}/both`)).toMatchObject({ inSitemap: true });
    await workers?.close();
    await crawlOf(site, { crawlMode: 'links_first', concurrency: 1 });
    expect(workers?.order.map((url) => url.slice(HOME.length))).toEqual(['/', '/linked', '/both', '/alone', '/below']);
  });

  it('leaves out the entries of sitemap files that match sitemap_exclude, and of no others', async () => {
    servers.sitemap = declared;
    servers.files = { [`${HOME}/alone`]: `${HOME}/sitemap-old.xml` };
    await crawlOf(site, { sitemapExclude: ['/both', '/sitemap-old*'], crawlMode: 'sitemap_only' });
    expect(fetchedPaths()).toEqual(['/both']);
    await workers?.close();
    await crawlOf(site, { sitemapInclude: ['/sitemap-old*'], crawlMode: 'sitemap_only' });
    expect(fetchedPaths()).toEqual(['/alone']);
  });

  it('is the sitemap alone, or a list alone, or no sitemap at all', async () => {
    servers.sitemap = declared;
    await crawlOf(site, { crawlMode: 'sitemap_only' });
    expect(fetchedPaths()).toEqual(['/alone', '/both']);
    await workers?.close();
    await crawlOf(site, {
      crawlMode: 'list_only',
      urlList: [`${HOME}/below`, 'https://elsewhere.test/x', 'no URL'],
    });
    expect([...(workers?.fetched.keys() ?? [])].sort()).toEqual(['https://elsewhere.test/x', `${HOME}/below`]);
    await workers?.close();
    await crawlOf(site, { sitemapMode: 'skip' });
    expect(fetchedPaths()).toEqual(['/', '/both', '/linked']);
  });
});

describe('the link graph of a crawl', () => {
  const site: Site = {
    '/': { links: ['/a', '/b', '/gone'] },
    '/a': { links: ['/b', '/', '/moved'] },
    '/b': { links: ['/b'] },
    '/gone': { status: 404 },
    '/moved': { landsAt: '/b' },
    '/orphan': { links: ['/a'] },
    '/lost': { status: 500 },
  };
  const declared = ['/', '/a', '/orphan', '/lost'].map((path) => `${HOME}${path}`);

  it('returns the number of links and a referer per page, orphans, unlisted pages and dead ends', async () => {
    servers.sitemap = declared;
    const { client, id } = await crawlOf(site, { concurrency: 1 });
    const pages = new Map(
      await Promise.all((await client.pages(id)).map(async (page) => [page.pageId, page] as const)),
    );
    const byPath = async (path: string) => pages.get((await client.find(id, `${HOME}${path}`))?.pageId ?? '');
    expect(await byPath('/')).toMatchObject({ inLinks: 1, orphan: false, unlisted: false, depth: 0 });
    expect(await byPath('/')).toMatchObject({ foundVia: 'seed', inLinks: 1, firstReferer: '' });
    expect(await byPath('/a')).toMatchObject({ inLinks: 2, orphan: false, unlisted: false, firstReferer: `${HOME}/` });
    expect(await byPath('/b')).toMatchObject({ inLinks: 3, unlisted: true, foundVia: 'link' });
    expect(await byPath('/orphan')).toMatchObject({ inLinks: 0, orphan: true });
    const orphans = await client.links(id, 'orphans');
    expect(orphans).toMatchObject({ isVerdict: true, why: '', next: '' });
    expect(orphans.pages.map(({ url }) => url)).toEqual([`${HOME}/lost`, `${HOME}/orphan`]);
    expect((await client.links(id, 'unlisted')).pages.map(({ url }) => url)).toEqual([`${HOME}/b`]);
    expect((await client.links(id, 'dead_ends')).pages).toEqual([
      { url: `${HOME}/gone`, inLinks: 1, httpStatus: 404, referer: `${HOME}/` },
    ]);
    const first = await client.links(id, 'orphans', { limit: 1 });
    expect((await client.links(id, 'orphans', { limit: 1, after: first.next })).pages[0]?.url).toBe(`${HOME}/orphan`);
  });

  it('is inconclusive if the run did not cover the whole site, or the site has no sitemap', async () => {
    const { client, id } = await crawlOf(site);
    expect(await client.links(id, 'orphans')).toMatchObject({
      isVerdict: false,
      why: expect.stringMatching(/no sitemap/),
    });
    expect(await client.links(id, 'dead_ends')).toMatchObject({ isVerdict: true });
    await workers?.close();
    const cut = await crawlOf(site, { maxPages: 2 });
    expect(await cut.client.links(cut.id, 'dead_ends')).toMatchObject({
      isVerdict: false,
      why: expect.stringMatching(/page_limit/),
    });
  });
});

describe('a site that was crawled before', () => {
  it('is recrawled completely where its pages are unchanged: they keep their links', async () => {
    const site: Site = { '/': { links: ['/a', '/b'] }, '/a': { links: ['/c'] }, '/b': {}, '/c': {} };
    const first = await crawlOf(site);
    await workers?.close();
    const unchanged = Object.fromEntries(Object.keys(site).map((path) => [path, { unchanged: true, status: 304 }]));
    workers = await servers.workers(siteOf(unchanged));
    const { id } = await first.client.start();
    expect(await first.client.ended(id)).toMatchObject({ stop: 'finished', done: 4 });
    const again = await first.client.find(id, `${HOME}/c`);
    expect(again).toMatchObject({ inLinks: 1, firstReferer: `${HOME}/a` });
  });
});
