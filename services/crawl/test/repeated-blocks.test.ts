import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakePage, type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, scopeOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
}, 120_000);
afterEach(() => workers?.close());
afterAll(() => servers.close());

const SHARED = 7;
const PAGES = 12;
/** A site whose pages share one block; `more` changes its pages. */
const site =
  (more: Partial<FakePage> = {}) =>
  (url: string): FakePage | undefined => {
    const at = url === `${HOME}/` ? 0 : Number(/\/p(\d+)$/.exec(url)?.[1]);
    const links = at === 0 ? Array.from({ length: PAGES }, (_, to) => `${HOME}/p${to + 1}`) : [];
    return at <= PAGES ? { links, blockKeys: [100 + at, SHARED], ...more } : undefined;
  };
const keysOf = (blocks: Buffer): number[] =>
  Array.from({ length: blocks.length / 4 }, (_, at) => blocks.readUInt32LE(at * 4));
/** The blocks that the workers received with each work message. */
const offeredBlocks = (): number[][] =>
  (workers?.offered ?? []).map(({ repeatedBlocks }) => keysOf(Buffer.from(repeatedBlocks)));

describe('blocks that repeat over the pages of a site', () => {
  const run = { scope: scopeOf({}) };

  it('are passed to the workers of the next run of the project, and of those after a run of unchanged pages', async () => {
    const client = projectClient(service);
    workers = await servers.workers(site());
    await client.ended((await client.start(run)).id);
    await workers.close();
    for (const more of [{ unchanged: true, blockKeys: [] }, {}]) {
      workers = await servers.workers(site(more));
      await client.ended((await client.start(run)).id);
      expect(offeredBlocks().length).toBeGreaterThan(0);
      for (const blocks of offeredBlocks()) expect(blocks).toEqual([SHARED]);
      await workers.close();
    }
  });

  it('are learned from the first pages of a run for its later pages', async () => {
    const client = projectClient(service);
    const linked = (url: string): FakePage | undefined => {
      const links: Readonly<Record<string, readonly string[]>> = {
        [`${HOME}/`]: [1, 2, 3, 4, 5].map((at) => `${HOME}/p${at}`),
        [`${HOME}/p5`]: [`${HOME}/p6`],
      };
      const page = site()(url);
      return page && { ...page, links: links[url] ?? [] };
    };
    workers = await servers.workers(linked);
    workers.isStalled = (url) => url === `${HOME}/p5`;
    const { id } = await client.start(run);
    await until('the other pages to be recorded', async () => (await client.get(id))?.done === 5);
    workers.isStalled = () => false;
    await client.ended(id);
    const last = workers.offered.find(({ pages }) => pages.some(({ url }) => url === `${HOME}/p6`));
    expect(last && keysOf(Buffer.from(last.repeatedBlocks))).toEqual([SHARED]);
  });

  it('are not passed with the first run of a project', async () => {
    const client = projectClient(service);
    workers = await servers.workers(site());
    await client.ended((await client.start(run)).id);
    expect(offeredBlocks()[0]).toEqual([]);
  });
});
