import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NoEstimateReason } from '@tidemark/contracts/crawl/v1/crawl';
import type { FakeScrapeWorkers, RunningService } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, type Site, scopeOf, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

const at = (path: string): string => `${HOME}${path}`;
const docs = Array.from({ length: 100 }, (_, page) => `/docs/${page}`);
const shop = Array.from({ length: 60 }, (_, page) => `/shop/${page}`);
/** Links miss every tenth page. */
const linked = [...docs, ...shop].filter((_, page) => page % 10 !== 3);
const SITE: Site = {
  '/': { links: [...linked, '/gone'] },
  '/gone': { verdict: 'blocked', status: 404 },
  ...Object.fromEntries([...docs, ...shop].map((path) => [path, {}])),
};

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  workers = await servers.workers(siteOf(SITE));
}, 120_000);
beforeEach(() => {
  Object.assign(servers, { sitemap: [], files: {}, feeds: {}, trees: {} });
});
afterAll(async () => {
  await workers.close();
  await servers.close();
});

const coverageOf = async (scope = scopeOf()) => {
  const project = projectClient(service);
  const { id } = await project.start({ scope });
  return (await project.ended(id)).coverage;
};

describe('the coverage of a run that has ended', () => {
  it('estimates the pages that links and sitemap both miss, by section, without pages that do not exist', async () => {
    // The sitemap misses every fifth page of the docs, and none of the shop.
    servers.sitemap = [...docs.filter((_, page) => page % 5 !== 2), ...shop].map(at);
    const coverage = await coverageOf();
    // A tenth of the pages is not linked and a fifth of the docs not listed: the pages that both miss are none in these patterns.
    expect(coverage).toMatchObject({ found: 160, read: 160, reason: undefined });
    expect(coverage?.estimate?.pages).toBeGreaterThanOrEqual(161);
    expect(coverage?.estimate?.pages).toBeLessThanOrEqual(165);
    expect(coverage?.estimate?.low).toBeGreaterThanOrEqual(160);
    expect(coverage?.sections.map(({ section, found }) => `${section} ${found}`)).toEqual(['/docs 100', '/shop 60']);
  });

  it('has no estimate where links alone list the pages', async () => {
    const coverage = await coverageOf(scopeOf({ useSitemap: false }));
    expect(coverage).toMatchObject({
      found: linked.length,
      estimate: undefined,
      reason: NoEstimateReason.NO_ESTIMATE_REASON_ONE_SOURCE,
    });
  });

  it('has no estimate where the sitemap lists exactly the linked pages', async () => {
    servers.sitemap = linked.map(at);
    expect((await coverageOf())?.reason).toBe(NoEstimateReason.NO_ESTIMATE_REASON_SOURCES_IDENTICAL);
  });

  it('has no estimate where no page is in two sources', async () => {
    servers.sitemap = [...docs, ...shop].filter((path) => !linked.includes(path)).map(at);
    expect((await coverageOf())?.reason).toBe(NoEstimateReason.NO_ESTIMATE_REASON_NO_OVERLAP);
  });
});
