import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { createGot, createGuard, parseAllowList } from '@tidemark/egress';
import { until } from '@tidemark/testkit';
import { readFeeds } from '../src/feeds/read-feeds.ts';
import { HostTurns } from '../src/web/host-turns.ts';
import { makeOpenFile } from '../src/web/open-file.ts';
import { type Answers, clientIn, indexOf, type MapGround, openMap, siteOf, urlset } from './map-ground.ts';

let answers: Answers = {};
let ground: MapGround;
const at = (path: string) => `${ground.site.origin}${path}`;
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => answers),
    siteOf(() => ({})),
  );
}, 120_000);
beforeEach(() => {
  answers = {};
});
afterAll(() => ground.close());

const rss = (items: string) => `<rss version="2.0"><channel><link>/</link>${items}</channel></rss>`;
const item = (link: string) => `<item><title>x</title><link>${link}</link></item>`;

async function read(paths: readonly string[], limit = 100) {
  const { caller } = clientIn(ground);
  const urls = paths.map((path) => (path.startsWith('/') ? at(path) : path));
  return (await ground.service.peer.call(Rpc.readFeeds, { urls, limit }, caller, { deadlineMs: 45_000 })).feeds;
}

describe('feeds', () => {
  it('are read in every form, each address once, absolute, in their order, of whichever site', async () => {
    const jsonItems = [{ url: '/j1' }, { id: 'https://other.test/j2' }, { id: '7' }, 'no item', { url: 7 }];
    answers = {
      '/rss': rss(`${item('/new')}${item('/old#part')}${item('/new')}`),
      '/atom': `<feed xml:base="/blog/"><entry><link rel="self" href="/no"/><link href="a1"/></entry></feed>`,
      '/json': JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: jsonItems }),
      '/list.txt': `${at('/t1')}\nhttps://other.test/t2\n`,
      '/map.xml': urlset(ground.site.origin, ['/m1']),
    };
    const feeds = await read(['/rss', '/atom', '/json', '/list.txt', '/map.xml']);
    expect(feeds.map(({ error }) => error)).toEqual(['', '', '', '', '']);
    expect(feeds.map(({ httpStatus }) => httpStatus)).toEqual([200, 200, 200, 200, 200]);
    expect(feeds.map(({ entries }) => entries)).toEqual([
      [at('/new'), at('/old')],
      [at('/blog/a1')],
      [at('/j1'), 'https://other.test/j2'],
      [at('/t1'), 'https://other.test/t2'],
      [at('/m1')],
    ]);
  });

  it('that fail say why, each in its place, and hold up no other', async () => {
    answers = {
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
    expect(feeds[8]).toMatchObject({ entries: [at('/one')], error: '' });
    expect(feeds[9]).toMatchObject({ entries: [at('/kept')], error: expect.stringContaining('could be read is kept') });
  });

  it('tell no more entries than were asked for, and are fifty at most', async () => {
    answers = { '/rss': rss(Array.from({ length: 30 }, (_, i) => item(`/p${i}`)).join('')) };
    const [feed] = await read(['/rss'], 7);
    expect(feed?.entries).toHaveLength(7);
    await expect(read(Array.from({ length: 51 }, () => '/rss'))).rejects.toMatchObject({ code: 'validation' });
  });

  it('cost nothing', async () => {
    answers = { '/rss': rss(item('/one')) };
    const client = clientIn(ground);
    await ground.service.peer.call(Rpc.readFeeds, { urls: [at('/rss')], limit: 1 }, client.caller);
    expect(await client.spent()).toEqual({ credits: 0 });
  });

  it('that never end are left in time, with what was read, and others are told though all time is over', async () => {
    let isAsked = false;
    answers = {
      '/endless': (_, response) => response.write(rss(item('/first')).slice(0, -20).padEnd(2_000)),
      '/silent': () => {
        isAsked = true;
      },
    };
    const guard = createGuard({ allow: parseAllowList(ground.site.host) });
    const open = makeOpenFile(createGot(guard), 'test');
    const turns = new HostTurns(1);
    const urls = [at('/endless'), at('/silent'), at('/never')];
    const [endless, silent, never] = await readFeeds({ open, turns, feedMs: 300, allMs: 500 }, urls, 10);
    await until('the second to be asked', () => isAsked);
    expect(endless).toMatchObject({
      httpStatus: 200,
      entries: [at('/first')],
      error: expect.stringContaining('too long'),
    });
    expect(silent).toMatchObject({ httpStatus: 0, entries: [] });
    expect(never).toMatchObject({ httpStatus: 0, entries: [], error: expect.stringContaining('time') });
  });
});
