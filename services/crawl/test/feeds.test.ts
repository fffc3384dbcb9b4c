import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeScrapeWorkers, RunningService } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, type Site, scopeOf, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
}, 120_000);
afterEach(async () => {
  await workers?.close();
  Object.assign(servers, { sitemap: [], feeds: {}, isMapAway: false });
});
afterAll(() => servers.close());

const at = (path: string): string => `${HOME}${path}`;
const SITE: Site = {
  '/': { links: ['/linked'] },
  '/linked': {},
  '/post1': {},
  '/post2': {},
  '/mapped': {},
  '/listed': {},
};
const NEWS = { entries: [at('/post1'), at('/post2'), 'https://other.test/x', at('/private/y')] };

async function runOf(more: Parameters<typeof scopeOf>[0]) {
  workers = await servers.workers(siteOf(SITE));
  const client = projectClient(service);
  const { id } = await client.start({ scope: scopeOf(more) });
  const run = await client.ended(id);
  const fetched = [...workers.fetched.keys()].map((url) => url.slice(HOME.length)).sort();
  return { client, id, run, fetched };
}

describe('feeds of a run', () => {
  it('are visited as far as they are in scope, beside the sitemap, and each says what it gave', async () => {
    servers.sitemap = [at('/mapped')];
    servers.feeds = {
      [at('/news')]: NEWS,
      [at('/none')]: {},
      [at('/torn')]: { entries: [at('/post1')], error: 'torn' },
    };
    const feeds = [at('/news'), at('/none'), at('/torn'), at('/gone')];
    const { client, id, run, fetched } = await runOf({ feeds, excludePaths: ['/private/*'] });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 5 });
    expect(fetched).toEqual(['/', '/linked', '/mapped', '/post1', '/post2']);
    expect(await client.find(id, at('/post1'))).toMatchObject({ foundVia: 'feed', depth: 1, inSitemap: false });
    const { sitemap, feeds: gave, found } = await client.sources({ feeds: [...feeds, at('/new')] });
    expect(sitemap).toBe('read');
    expect(gave).toEqual([
      { url: at('/news'), outcome: 'read', addresses: 4, error: '' },
      { url: at('/none'), outcome: 'empty', addresses: 0, error: '' },
      { url: at('/torn'), outcome: 'read', addresses: 1, error: 'torn' },
      { url: at('/gone'), outcome: 'failed', addresses: 0, error: 'answers 404' },
      { url: at('/new'), outcome: '', addresses: 0, error: '' },
    ]);
    expect(found).toContainEqual({ foundVia: 'feed', addresses: 2, pages: 2 });
    const log = await client.log(id);
    expect(log.filter((line) => line.startsWith('feed: '))).toEqual([
      `feed: ${at('/news')} gave 4 addresses`,
      `feed: ${at('/none')} gave 0 addresses`,
      `feed: ${at('/torn')} gave 1 address: torn`,
      `feed: ${at('/gone')} could not be read: answers 404`,
    ]);
  });

  it('that nobody can read never fail it', async () => {
    servers.isMapAway = true;
    const { client, id, run } = await runOf({ feeds: [at('/news')], useSitemap: false });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 2 });
    expect(await client.log(id)).toContainEqual(expect.stringMatching(/^feed: .*can’t be read at the moment/));
  });

  it('are visited beside sitemaps alone, where links are not followed', async () => {
    servers.sitemap = [at('/mapped')];
    servers.feeds = { [at('/news')]: NEWS };
    const { fetched } = await runOf({ feeds: [at('/news')], crawlMode: 'sitemap_only' });
    expect(fetched.filter((path) => !path.startsWith('/private'))).toEqual(['/mapped', '/post1', '/post2']);
  });

  it('are left alone where a list is all that is wanted', async () => {
    servers.feeds = { [at('/news')]: NEWS };
    const { fetched } = await runOf({ feeds: [at('/news')], crawlMode: 'list_only', urlList: [at('/listed')] });
    expect(fetched).toEqual(['/listed']);
  });
});
