import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { createGot, createGuard, parseAllowList } from '@tidemark/egress';
import { LocalHostLimiter } from '@tidemark/host-pace';
import { until } from '@tidemark/testkit';
import { makeReadFeeds } from '../src/feeds/read-feeds.ts';
import { makeOpenFile } from '../src/web/open-file.ts';
import { clientIn, indexOf, type MapServers, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

let siteFiles: SiteFiles = {};
let servers: MapServers;
const at = (path: string) => `${servers.site.origin}${path}`;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => ({})),
  );
}, 120_000);
beforeEach(() => {
  siteFiles = {};
});
afterAll(() => servers.close());

const rss = (items: string) => `<rss version="2.0"><channel><link>/</link>${items}</channel></rss>`;
const item = (link: string) => `<item><title>x</title><link>${link}</link></item>`;

async function read(paths: readonly string[], limit = 100) {
  const { caller } = clientIn(servers);
  const urls = paths.map((path) => (path.startsWith('/') ? at(path) : path));
  return (await servers.service.peer.call(Rpc.readFeeds, { urls, limit }, caller, { deadlineMs: 45_000 })).feeds;
}

describe('ReadFeeds', () => {
  it('returns absolute URLs without duplicates, in feed order and of any site, for every feed format', async () => {
    const jsonItems = [{ url: '/j1' }, { id: 'https://other.test/j2' }, { id: '7' }, 'no item', { url: 7 }];
    siteFiles = {
      '/rss': rss(`${item('/new')}${item('/old#part')}${item('/new')}`),
      '/atom': `<feed xml:base="/blog/"><entry><link rel="self" href="/no"/><link href="a1"/></entry></feed>`,
      '/json': JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: jsonItems }),
      '/list.txt': `${at('/t1')}\nhttps://other.test/t2\n`,
      '/map.xml': urlset(servers.site.origin, ['/m1']),
    };
    const feeds = await read(['/rss', '/atom', '/json', '/list.txt', '/map.xml']);
    expect(feeds.map(({ error }) => error)).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(feeds.map(({ httpStatus }) => httpStatus)).toEqual([200, 200, 200, 200, 200]);
    expect(feeds.map(({ entries }) => entries)).toEqual([
      [at('/new'), at('/old')],
      [at('/blog/a1')],
      [at('/j1'), 'https://other.test/j2'],
      [at('/t1'), 'https://other.test/t2'],
      [at('/m1')],
    ]);
  });

  it('reports an error for each feed that fails and reads the others', async () => {
    siteFiles = {
      '/page': '<!doctype html><html><body>not here</body></html>',
      '/index.xml': indexOf([at('/a.xml')]),
      '/words': 'no feed at all',
      '/data': '{"items": 7}',
      '/locked': 403,
      '/good': rss(item('/one')),
      '/broken': rss(item('/kept')).replace('</rss>', ''),
    };
    const paths = [
      '/page',
      '/index.xml',
      '/words',
      '/data',
      '/locked',
      '/gone',
      'http://10.0.0.1/feed',
      'ftp://x/feed',
    ];
    const feeds = await read([...paths, '/good', '/broken']);
    expect(feeds.map(({ httpStatus }) => httpStatus)).toEqual([200, 200, 200, 200, 403, 404, 0, 0, 200, 200]);
    for (const feed of feeds.slice(0, 8)) {
      expect(feed).toMatchObject({ entries: [], error: expect.stringMatching(/\w/) });
    }
    expect(feeds[8]).toMatchObject({ entries: [at('/one')], error: undefined });
    expect(feeds[9]).toMatchObject({
      entries: [at('/kept')],
      error: expect.stringContaining('could be read are kept'),
    });
  });

  it('returns at most `limit` entries per feed and accepts at most 50 feeds', async () => {
    siteFiles = { '/rss': rss(Array.from({ length: 30 }, (_, i) => item(`/p${i}`)).join('')) };
    const [feed] = await read(['/rss'], 7);
    expect(feed?.entries).toHaveLength(7);
    await expect(read(Array.from({ length: 51 }, () => '/rss'))).rejects.toMatchObject({ code: 'validation' });
  });

  it('is free of charge', async () => {
    siteFiles = { '/rss': rss(item('/one')) };
    const client = clientIn(servers);
    await servers.service.peer.call(Rpc.readFeeds, { urls: [at('/rss')], limit: 1 }, client.caller);
    expect(await client.spent()).toEqual({ credits: 0 });
  });

  it('reports feeds that redirect too often or to another protocol, and reads the others', async () => {
    const to =
      (location: string): SiteFiles[string] =>
      (_, response) =>
        response.writeHead(302, { location }).end();
    const hops = Array.from({ length: 8 }, (_, hop) => [`/hop${hop}`, to(`/hop${hop + 1}`)] as const);
    siteFiles = { ...Object.fromEntries(hops), '/ftp': to('ftp://other.test/feed'), '/good': rss(item('/one')) };
    const [tooOften, other, good] = await read(['/hop0', '/ftp', '/good']);
    expect(tooOften).toMatchObject({ entries: [], error: 'too many redirects' });
    expect(other).toMatchObject({ entries: [], error: expect.stringMatching(/HTTP|web/) });
    expect(good).toMatchObject({ entries: [at('/one')], error: undefined });
  });

  it('ends within the time of its request, whatever the hosts do, with an error for each feed that was not read', async () => {
    siteFiles = {
      '/silent': () => undefined,
      '/endless': (_, response) => response.write(rss(item('/first'))),
      '/good': rss(item('/one')),
    };
    const urls = ['/good', ...Array.from({ length: 9 }, (_, index) => (index % 2 === 0 ? '/silent' : '/endless'))].map(
      at,
    );
    const startedMs = performance.now();
    const { caller } = clientIn(servers);
    const { feeds } = await servers.service.peer.call(Rpc.readFeeds, { urls, limit: 10, withinMs: 1_500 }, caller);
    expect(performance.now() - startedMs).toBeLessThan(6_000);
    expect(feeds[0]).toMatchObject({ entries: [at('/one')], error: undefined });
    for (const feed of feeds.slice(1)) expect(feed.error).toMatch(/time|too long/);
    const begun = feeds.slice(1).filter(({ httpStatus }) => httpStatus === 200);
    expect(begun.length).toBeGreaterThan(0);
    for (const { entries } of begun) expect(entries).toEqual([at('/first')]);
  });

  it('times out feeds that never end, keeps their entries, and reports feeds that could not be read in time', async () => {
    let isRequested = false;
    siteFiles = {
      '/endless': (_, response) => response.write(rss(item('/first')).slice(0, -20).padEnd(2_000)),
      '/silent': () => {
        isRequested = true;
      },
    };
    const guard = createGuard({ allow: parseAllowList(servers.site.host) });
    const pace = new LocalHostLimiter();
    const open = makeOpenFile({ got: createGot(guard), pace, concurrency: 1, userAgent: 'test' });
    const urls = [at('/endless'), at('/silent'), at('/never')];
    const readFeeds = makeReadFeeds({ open, feedTimeoutMs: 300, totalTimeoutMs: 500 });
    const [endless, silent, never] = await readFeeds(urls, 10);
    await until('the second feed to be requested', () => isRequested);
    expect(endless).toMatchObject({
      httpStatus: 200,
      entries: [at('/first')],
      error: expect.stringContaining('too long'),
    });
    expect(silent).toMatchObject({ httpStatus: 0, entries: [] });
    expect(never).toMatchObject({ httpStatus: 0, entries: [], error: expect.stringContaining('time') });
  });
});
