import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Verdict } from '@tidemark/contracts/page/v1/page';
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
  servers.sitemap = [];
});
afterAll(() => servers.close());

const fetchedPaths = (): string[] => [...(workers?.fetched.keys() ?? [])].map((url) => url.slice(HOME.length)).sort();

/** A tree of pages, so many below each, each linking home and to its neighbours. */
function tree(width: number, depth: number): Site {
  const pages: Record<string, { links: string[] }> = {};
  const addPages = (path: string, left: number): void => {
    const below = left === 0 ? [] : Array.from({ length: width }, (_, i) => `${path === '/' ? '' : path}/n${i}`);
    pages[path] = { links: ['/', ...below] };
    for (const child of below) addPages(child, left - 1);
  };
  addPages('/', depth);
  return pages;
}

async function crawlOf(site: Site, scope: Parameters<ReturnType<typeof clientIn>['start']>[0] = {}) {
  workers = await servers.workers(siteOf(site));
  const client = clientIn(service);
  const { id } = await client.start(scope);
  return { client, id, run: await client.ended(id) };
}

describe('a crawl', () => {
  it('reaches every page of a site once, numbers them without gaps, and ends', async () => {
    const site = tree(5, 3);
    const { client, id, run } = await crawlOf(site);
    const size = Object.keys(site).length;
    expect(run).toMatchObject({
      status: 'done',
      stop: 'finished',
      done: size,
      total: size,
      queued: 0,
      creditsUsed: size,
    });
    expect(run.counts).toEqual({ ok: size });
    expect(fetchedPaths()).toEqual(Object.keys(site).sort());
    expect([...(workers?.fetched.values() ?? [])].every((times) => times === 1)).toBe(true);
    const pages = await client.pages(id);
    expect(pages.map(({ number }) => number)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
    expect(new Set(pages.map(({ pageId }) => pageId)).size).toBe(size);
  });

  it('fetches exactly as many pages as its limit allows, breadth first', async () => {
    const { run } = await crawlOf(tree(6, 3), { maxPages: 37, concurrency: 20 });
    expect(run).toMatchObject({ status: 'done', stop: 'page_limit', done: 37, total: 37 });
    expect(workers?.order).toHaveLength(37);
    const depths =
      workers?.order.map((url) => new URL(url).pathname.split('/').filter((part) => part !== '').length) ?? [];
    expect(Math.max(...depths)).toBe(2);
  });

  it('follows links no deeper than it may', async () => {
    const { run } = await crawlOf(tree(2, 5), { maxDepth: 2 });
    expect(run).toMatchObject({ stop: 'finished', done: 7 });
  });

  it('visits what is included and not excluded, and its seed in any case', async () => {
    const site: Site = {
      '/': { links: ['/blog/a', '/blog/draft/x', '/shop/1', '/blog/b?page=2'] },
      '/blog/a': { links: ['/blog/c'] },
      '/blog/b?page=2': {},
      '/blog/c': {},
      '/blog/draft/x': {},
      '/shop/1': {},
    };
    await crawlOf(site, { includePaths: ['/blog/*'], excludePaths: ['re:/draft/'] });
    expect(fetchedPaths()).toEqual(['/', '/blog/a', '/blog/b?page=2', '/blog/c']);
  });

  it('stays on its site: with and without www, under either scheme, on subdomains only if allowed', async () => {
    const links = [
      'http://www.site.test/a',
      'https://sub.site.test/b',
      'https://other.test/c',
      'ftp://site.test/d',
      'mailto:x@site.test',
    ];
    const site = { '/': { links: [...links, '/film.mp4', '/paper.pdf'] } };
    await crawlOf(site);
    expect([...(workers?.fetched.keys() ?? [])].sort()).toEqual([
      'http://www.site.test/a',
      `${HOME}/`,
      `${HOME}/paper.pdf`,
    ]);
    await workers?.close();
    await crawlOf(site, { allowSubdomains: true });
    expect(workers?.fetched.has('https://sub.site.test/b')).toBe(true);
  });

  it('continues on the host its seed redirects to', async () => {
    const site: Site = {
      '/': { landsAt: 'https://moved.test/', links: ['https://moved.test/a'] },
      'https://moved.test/a': {},
    };
    const { run } = await crawlOf(site);
    expect(run.done).toBe(2);
    expect(workers?.fetched.has('https://moved.test/a')).toBe(true);
  });

  it('deduplicates two URLs of a page, and finds it under both', async () => {
    const site: Site = {
      '/': { links: ['/old', '/a', '/older'] },
      '/old': { landsAt: '/new' },
      '/older': { landsAt: '/new', through: ['/between'] },
      '/a': { links: ['/new', '/b?utm_source=x', '/b?utm_source=y', '/c?sid=0123456789abcdef0123456789abcdef'] },
      '/new': { links: ['/c'] },
      '/b?utm_source=x': {},
      '/c?sid=0123456789abcdef0123456789abcdef': {},
    };
    workers = await servers.workers(siteOf(site), { concurrency: 1 });
    const client = clientIn(service);
    const { id } = await client.start({ ignoreQuery: ['utm_*'] });
    const run = await client.ended(id);
    const pages = await client.pages(id);
    expect(pages).toHaveLength(run.done);
    expect(run.counts).toEqual({ ok: 5 });
    expect(fetchedPaths()).not.toContain('/new');
    expect(fetchedPaths().filter((path) => path.startsWith('/b'))).toHaveLength(1);
    const found = await Promise.all(
      ['/old', '/new', '/older', '/between'].map((path) => client.find(id, `${HOME}${path}`)),
    );
    expect(new Set(found.map((page) => page?.pageId)).size).toBe(1);
    expect((await client.find(id, 'http://site.test/a/'))?.foundVia).toBe('link');
    expect(await client.find(id, `${HOME}/nowhere`)).toBeUndefined();
  });

  it('queues the canonical URL of a page, and follows no link of a nofollow page', async () => {
    const site: Site = {
      '/': { links: ['/print/a', '/quiet'] },
      '/print/a': { canonical: '/a' },
      '/a': {},
      '/quiet': { nofollow: true, links: ['/hidden'] },
    };
    const { client, id } = await crawlOf(site);
    expect(fetchedPaths()).toEqual(['/', '/a', '/print/a', '/quiet']);
    expect((await client.find(id, `${HOME}/a`))?.foundVia).toBe('canonical');
  });

  it('does not count pages disallowed by robots.txt against its limit', async () => {
    const site: Record<string, { links?: string[]; verdict?: Verdict }> = { '/': { links: [] } };
    const links = Array.from({ length: 40 }, (_, i) => `/p${i}`);
    site['/'] = { links };
    for (const [i, path] of links.entries()) site[path] = i % 2 === 0 ? { verdict: 'robots' } : {};
    const { run } = await crawlOf(site, { maxPages: 12 });
    expect(run.stop).toBe('page_limit');
    expect(run.counts['ok']).toBe(12);
    expect(run.creditsUsed).toBe(12);
  });

  it('cuts off an endless calendar and reports it as a trap', async () => {
    workers = await servers.workers((url) => {
      const month = /month=(\d+)$/.exec(url)?.[1];
      if (month === undefined) return { links: [`${HOME}/about`, `${HOME}/calendar?month=1`] };
      const next = Number(month);
      return { links: [next + 1, next * 2 + 1].map((other) => `${HOME}/calendar?month=${other}`) };
    });
    const client = clientIn(service);
    const { id } = await client.start({ maxPages: 5_000, maxDepth: 1_000, concurrency: 50 });
    const run = await client.ended(id);
    expect(run.stop).toBe('finished');
    expect(run.done).toBeLessThan(900);
    expect(run.traps).toEqual([expect.objectContaining({ pattern: '/calendar?month' })]);
  });

  it('ends with site_down if no page responds', async () => {
    const { run } = await crawlOf({ '/': { status: 0 } });
    expect(run).toMatchObject({ status: 'error', stop: 'site_down', done: 1, creditsUsed: 0 });
  });

  it('continues if pages do not respond but their host does', async () => {
    const links = Array.from({ length: 60 }, (_, i) => `/silent${i}`);
    const silent = Object.fromEntries(links.map((path) => [path, { status: 0 }]));
    const { run } = await crawlOf({ '/': { links: [...links, '/last'] }, ...silent, '/last': {} });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 62, total: 62 });
  });

  it('stops when its workspace has no credits left, and not earlier', async () => {
    workers = await servers.workers(siteOf(tree(5, 2)), { delayMs: 5 });
    const client = clientIn(service);
    servers.billing.setBalance(client.workspaceId, 20);
    const { id } = await client.start();
    expect(await client.ended(id)).toMatchObject({ status: 'done', stop: 'credit_limit', creditsUsed: 20, done: 20 });
    await expect(client.start()).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('stops when its time is up', async () => {
    workers = await servers.workers(siteOf(tree(4, 5)), { delayMs: 200, concurrency: 2 });
    const client = clientIn(service);
    const { id } = await client.start();
    await servers.servers.database.sql(`UPDATE crawl.runs SET deadline = now() + interval '1 second' WHERE id = $1`, [
      id,
    ]);
    const run = await client.ended(id);
    expect(run).toMatchObject({ status: 'done', stop: 'time_limit', queued: 0 });
  });
});
