import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import type { CrawlEnded, RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { Bus, createLogger } from '@tidemark/service';
import { type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, openCrawl, type Site, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

const LINKS = ['/a', '/b'];
const UP: Site = { '/': { links: LINKS }, '/a': {}, '/b': {} };
const REFUSES: Site = { '/': { status: 403 } };

let servers: CrawlServers;
let service: RunningService;
let bus: Bus;
let exporter: Bus;
let workers: FakeScrapeWorkers | undefined;
const finished: RunFinished[] = [];
const crawlsEnded: CrawlEnded[] = [];
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  const connect = (name: string) => Bus.connect(servers.servers.nats.url, name, createLogger('test', 'silent'));
  [bus, exporter] = [await connect('projects'), await connect('export')];
  bus.consume(events.runFinished, 'projects', async (batch) => {
    finished.push(...batch.map(({ event }) => event));
  });
  exporter.consume(events.crawlEnded, 'export', async (batch) => {
    crawlsEnded.push(...batch.map(({ event }) => event));
  });
  await Promise.all([bus.prepare(), exporter.prepare()]);
}, 120_000);
afterEach(() => workers?.close());
afterAll(async () => {
  await Promise.all([bus.close(), exporter.close()]);
  await servers.close();
});

/** Runs a project over a site. @returns the ended run */
async function runOver(client: ReturnType<typeof projectClient>, site: Site) {
  workers = await servers.workers(siteOf(site));
  try {
    const { id } = await client.start();
    return await client.ended(id);
  } finally {
    await workers.close();
  }
}

describe('a run of which no page could be read', () => {
  it.each([
    ['site_down', { '/': { status: 0 } }, 'the site did not respond for 1 page'],
    ['refused', REFUSES, 'the site refused 1 page'],
    ['robots', { '/': { verdict: 'robots' } }, 'robots.txt disallows 1 page'],
  ] as const)('ends with status error and stop %s, and its event states both', async (stop, site, why) => {
    const client = projectClient(service);
    const run = await runOver(client, site);
    const error = `no page could be read: ${why}`;
    expect(run).toMatchObject({ status: 'error', stop, error, hasCoverage: false });
    const event = await until('its event', () => finished.find(({ runId }) => runId === run.id));
    expect(event).toMatchObject({ status: 'error', stop: stop, error, hasCoverage: false });
    expect((await client.log(run.id)).at(-1)).toBe(
      `failed: ${error}; 1 page: 1 ${stop === 'robots' ? 'robots' : 'blocked'}`,
    );
  });

  it('ends as done if the site states that the page does not exist, and has no coverage', async () => {
    const run = await runOver(projectClient(service), { '/': { status: 404 } });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', error: undefined, hasCoverage: false });
  });

  it('ends as done if one page of many was read', async () => {
    const run = await runOver(projectClient(service), {
      '/': { links: LINKS },
      '/a': { status: 403 },
      '/b': { status: 0 },
    });
    expect(run).toMatchObject({ status: 'done', stop: 'finished', hasCoverage: true });
  });
});

describe('the present run of a project', () => {
  it('is the newest that read pages, whichever failed, were cancelled or read listed pages after it', async () => {
    const client = projectClient(service);
    expect(await client.present()).toBeUndefined();
    await runOver(client, REFUSES);
    expect(await client.present()).toBeUndefined();
    const first = await runOver(client, UP);
    expect((await client.present())?.id).toBe(first.id);
    await runOver(client, REFUSES);
    workers = await servers.workers(siteOf(UP));
    workers.isStalled = (url) => url.endsWith('/b');
    const cancelled = await client.start();
    await until('a page to be read', async () => ((await client.get(cancelled.id))?.done ?? 0) > 0);
    await client.cancel(cancelled.id);
    expect(await client.ended(cancelled.id)).toMatchObject({ status: 'cancelled', hasCoverage: false });
    await workers.close();
    expect((await client.present())?.id).toBe(first.id);
    expect((await client.sources()).runId).toBe(first.id);
    const second = await runOver(client, { '/': {} });
    expect((await client.present())?.id).toBe(second.id);
  });

  it('is what the next run builds on, and stays when failed runs after it expire', async () => {
    const client = projectClient(service);
    const first = await runOver(client, UP);
    const failed = await runOver(client, REFUSES);
    const again = await runOver(client, REFUSES);
    expect(await client.expire(new Date())).toBe(1);
    expect((await client.present())?.id).toBe(first.id);
    expect((await client.get(again.id))?.id).toBe(again.id);
    const next = await runOver(client, UP);
    const earlier = await servers.servers.database.sql<{ id: string }>(
      'SELECT e.id FROM crawl.runs r JOIN crawl.runs e ON e.no = r.earlier_no WHERE r.id = $1',
      [next.id],
    );
    expect(earlier).toEqual([{ id: first.id }]);
    expect(failed.status).toBe('error');
  });
});

describe('a crawl with a destination', () => {
  it('is written to it if it read pages, and not if it failed', async () => {
    const client = projectClient(service, undefined, '');
    const start = async (site: Site): Promise<string> => {
      workers = await servers.workers(siteOf(site));
      const { id } = await client.start({ trigger: 'crawl', destinationId: 'dst_1' });
      await client.ended(id);
      await workers.close();
      return id;
    };
    const failed = await start(REFUSES);
    const read = await start(UP);
    await until('the event of the crawl that read pages', () => crawlsEnded.some(({ runId }) => runId === read));
    expect(crawlsEnded.map(({ runId }) => runId)).not.toContain(failed);
  });
});
