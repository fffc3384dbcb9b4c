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
  Object.assign(servers, { sitemap: [], feeds: {} });
});
afterAll(() => servers.close());

const SITE: Site = {
  '/': { links: ['/a', '/b'] },
  '/a': { links: ['/c'], canonical: '/b' },
  '/b': {},
  '/c': {},
  '/moved': { landsAt: '/c' },
};
const recrawl = (paths: readonly string[], more = {}) => ({
  trigger: 'recrawl' as const,
  scope: scopeOf({ urlList: paths.map((path) => (path.startsWith('/') ? `${HOME}${path}` : path)), ...more }),
});
const earlierOf = async (id: string): Promise<string | undefined> => {
  const text = 'SELECT e.id FROM crawl.runs r LEFT JOIN crawl.runs e ON e.no = r.earlier_no WHERE r.id = $1';
  return (await servers.servers.database.sql<{ id: string | null }>(text, [id]))[0]?.id ?? undefined;
};

describe('a recrawl', () => {
  it('fetches exactly the listed pages: no links, sitemap or feeds, regardless of the limit of the project', async () => {
    workers = await servers.workers(siteOf(SITE));
    servers.sitemap = [`${HOME}/b`];
    servers.feeds = { [`${HOME}/feed`]: { entries: [`${HOME}/b`] } };
    const client = projectClient(service);
    const scope = { maxPages: 1, feeds: [`${HOME}/feed`] };
    const { id } = await client.start(recrawl(['/a', '/c', '/a', '/moved'], scope));
    expect(await client.ended(id)).toMatchObject({
      status: 'done',
      stop: 'finished',
      trigger: 'recrawl' as const,
      done: 2,
    });
    expect([...workers.fetched.keys()].sort()).toEqual([`${HOME}/a`, `${HOME}/c`, `${HOME}/moved`]);
  });

  it('is a conflict while a run of its project is unfinished, and makes a run of the project a conflict that ends soon', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.isHeld = true;
    const client = projectClient(service);
    const full = await client.start();
    const whole = {
      code: 'conflict',
      message: expect.stringMatching(/^a run of this project/),
      retryAfterSeconds: undefined,
    };
    await expect(client.start(recrawl(['/a']))).rejects.toMatchObject(whole);
    workers.isHeld = false;
    await client.ended(full.id);
    workers.isHeld = true;
    const some = await client.start(recrawl(['/a']));
    const busy = { code: 'conflict', message: expect.stringMatching(/^a re-crawl of pages/), retryAfterSeconds: 10 };
    await expect(client.start()).rejects.toMatchObject(busy);
    await expect(client.start(recrawl(['/b']))).rejects.toMatchObject(busy);
    workers.isHeld = false;
    expect(await client.ended(some.id)).toMatchObject({ stop: 'finished', done: 1 });
    await client.ended((await client.start()).id);
  });

  it('refuses URLs of another site, by name, and an empty list', async () => {
    const client = projectClient(service);
    const started = client.start(recrawl(['/a', 'https://other.test/x', 'ftp://site.test/y']));
    await expect(started).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('https://other.test/x: another site'),
      detail: [
        expect.objectContaining({ loc: ['body', 'urls', 1] }),
        expect.objectContaining({ loc: ['body', 'urls', 2] }),
      ],
    });
    await expect(client.start(recrawl([]))).rejects.toMatchObject({ code: 'validation' });
    await expect(client.start({ ...recrawl(['/a']), projectId: '' })).rejects.toMatchObject({ code: 'validation' });
    expect((await client.list()).runs).toEqual([]);
  });

  it('accepts pages of the host the seed redirects to', async () => {
    const moved = {
      '/': { landsAt: 'https://moved.test/', links: ['https://moved.test/a'] },
      'https://moved.test/a': {},
    };
    workers = await servers.workers(siteOf(moved));
    const client = projectClient(service);
    await expect(client.start(recrawl(['https://moved.test/a']))).rejects.toMatchObject({ code: 'validation' });
    await client.ended((await client.start()).id);
    const { id } = await client.start(recrawl(['https://moved.test/a']));
    expect(await client.ended(id)).toMatchObject({ stop: 'finished', done: 1 });
  });

  it('never counts as a full run: not in lists of full runs, sources or as an earlier run', async () => {
    workers = await servers.workers(siteOf(SITE));
    const client = projectClient(service);
    const first = await client.start();
    await client.ended(first.id);
    const again = await client.start(recrawl(['/a']));
    await client.ended(again.id);
    const other = await client.start(recrawl(['/b']));
    await client.ended(other.id);
    const second = await client.start();
    await client.ended(second.id);
    expect(await earlierOf(first.id)).toBeUndefined();
    expect(await Promise.all([again.id, other.id, second.id].map(earlierOf))).toEqual([first.id, first.id, first.id]);
    await client.ended((await client.start(recrawl(['/c']))).id);
    expect((await client.present())?.id).toBe(second.id);
    expect((await client.list()).runs).toHaveLength(5);
    expect((await client.sources()).runId).toBe(second.id);
    expect((await client.dryRun()).runId).toBe(second.id);
  });
});

describe('a run', () => {
  it('offers its seed, and no other page, as its home', async () => {
    workers = await servers.workers(siteOf(SITE));
    const client = projectClient(service);
    await client.ended((await client.start()).id);
    const homes = workers.offered.flatMap(({ pages }) => pages.filter(({ isHome }) => isHome).map(({ url }) => url));
    expect(new Set(homes)).toEqual(new Set([`${HOME}/`]));
    expect(workers.fetched.size).toBe(4);
  });

  it('has a start time between its creation and its end', async () => {
    workers = await servers.workers(siteOf(SITE));
    const client = projectClient(service);
    const { id } = await client.start();
    const { createdAt, startedAt, finishedAt } = await client.ended(id);
    expect(startedAt?.getTime()).toBeGreaterThanOrEqual((createdAt?.getTime() ?? 0) - 1_000);
    expect(startedAt?.getTime()).toBeLessThanOrEqual(finishedAt?.getTime() ?? 0);
  });
});
