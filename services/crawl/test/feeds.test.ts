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
  Object.assign(servers, { sitemap: [], feeds: {}, isMapUnavailable: false });
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
  '/moved': { landsAt: '/linked' },
};
const FEED = { entries: [at('/post1'), at('/post2'), 'https://other.test/x', at('/private/y')] };

async function runOf(more: Parameters<typeof scopeOf>[0]) {
  workers = await servers.workers(siteOf(SITE));
  const client = projectClient(service);
  const { id } = await client.start({ scope: scopeOf(more) });
  const run = await client.ended(id);
  const fetched = [...workers.fetched.keys()].map((url) => url.slice(HOME.length)).sort();
  return { client, id, run, fetched };
}

describe('feeds of a run', () => {
  it('are visited within the scope in addition to the sitemap, and the result of each is stored', async () => {
    servers.sitemap = [at('/mapped')];
    servers.feeds = {
      [at('/feed-a')]: FEED,
      [at('/none')]: {},
      [at('/torn')]: { entries: [at('/post1')], error: 'torn' },
    };
    const feeds = [at('/feed-a'), at('/none'), at('/torn'), at('/gone')];
    const { client, id, run, fetched } = await runOf({ feeds, excludePaths: ['/private/*'] });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 5 });
    expect(fetched).toEqual(['/', '/linked', '/mapped', '/post1', '/post2']);
    expect(await client.find(id, at('/post1'))).toMatchObject({ foundVia: 'feed', depth: 1, inSitemap: false });
    const { sitemap, feeds: gave, found } = await client.sources({ feeds: [...feeds, at('/new')] });
    expect(sitemap).toBe('read');
    expect(gave).toEqual([
      { url: at('/feed-a'), outcome: { $case: 'feed', value: 'read' }, urls: 4, error: undefined },
      { url: at('/none'), outcome: { $case: 'feed', value: 'empty' }, urls: 0, error: undefined },
      { url: at('/torn'), outcome: { $case: 'feed', value: 'read' }, urls: 1, error: 'torn' },
      { url: at('/gone'), outcome: { $case: 'feed', value: 'failed' }, urls: 0, error: 'answers 404' },
      { url: at('/new'), outcome: undefined, urls: 0, error: undefined },
    ]);
    expect(found).toContainEqual({ foundVia: 'feed', urls: 2, pages: 2 });
    const log = await client.log(id);
    expect(log.filter((line) => line.startsWith('feed: '))).toEqual([
      `feed: ${at('/feed-a')} gave 4 URLs`,
      `feed: ${at('/none')} gave 0 URLs`,
      `feed: ${at('/torn')} gave 1 URL: torn`,
      `feed: ${at('/gone')} could not be read: answers 404`,
    ]);
  });

  it('credit a page to every source that declared it or an alias of it, whichever was read first', async () => {
    servers.sitemap = ['/', '/mapped', '/linked', '/post1', '/listed'].map(at);
    servers.feeds = { [at('/feed-a')]: { entries: ['/post1', '/post2', '/linked', '/listed'].map(at) } };
    const urlList = ['/', '/listed', '/post2', '/moved'].map(at);
    const { client } = await runOf({ feeds: [at('/feed-a')], urlList });
    const { found } = await client.sources();
    expect(Object.fromEntries(found.map(({ foundVia, urls, pages }) => [foundVia, [urls, pages]]))).toEqual({
      seed: [1, 1],
      sitemap: [5, 5],
      feed: [4, 4],
      list: [4, 4],
      link: [1, 1],
    });
  });

  it('that cannot be read never fail the run', async () => {
    servers.isMapUnavailable = true;
    const { client, id, run } = await runOf({ feeds: [at('/feed-a')], useSitemap: false });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 2 });
    expect(await client.log(id)).toContainEqual(expect.stringMatching(/^feed: .*can’t be read at the moment/));
  });

  it('are visited in the mode sitemap_only, in which links are not followed', async () => {
    servers.sitemap = [at('/mapped')];
    servers.feeds = { [at('/feed-a')]: FEED };
    const { fetched } = await runOf({ feeds: [at('/feed-a')], crawlMode: 'sitemap_only' });
    expect(fetched.filter((path) => !path.startsWith('/private'))).toEqual(['/mapped', '/post1', '/post2']);
  });

  it('are not read in the mode list_only', async () => {
    servers.feeds = { [at('/feed-a')]: FEED };
    const { fetched } = await runOf({ feeds: [at('/feed-a')], crawlMode: 'list_only', urlList: [at('/listed')] });
    expect(fetched).toEqual(['/listed']);
  });
});
