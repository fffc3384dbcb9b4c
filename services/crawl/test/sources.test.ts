import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { callerIn, captureOptions, countCpuMs, type FakeScrapeWorkers, type RunningService } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, type Site, scopeOf, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

const at = (path: string): string => `${HOME}${path}`;
const blog = Array.from({ length: 12 }, (_, i) => `/blog/${i}`);
const SITE: Site = {
  '/': { links: ['/shop/1', '/deep/1', '/old'] },
  '/shop/1': { links: ['/shop/2', '/shop/3'] },
  '/shop/2': {},
  '/shop/3': {},
  '/deep/1': { links: ['/deep/2'] },
  '/deep/2': { links: ['/deep/3'] },
  '/deep/3': {},
  '/old': { landsAt: '/blog/0' },
  '/listed': { verdict: 'blocked', status: 403 },
  ...Object.fromEntries(blog.map((path) => [path, {}])),
};

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
/** A project with one full run over the site: seed, sitemap, links and a list. */
let project: ReturnType<typeof projectClient>;
let runId: string;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  workers = await servers.workers(siteOf(SITE));
  servers.sitemap = blog.map(at);
  project = projectClient(service);
  runId = (await project.start({ scope: scopeOf({ urlList: [at('/listed')] }) })).id;
  await project.ended(runId);
}, 120_000);
beforeEach(() => {
  Object.assign(servers, { files: {}, feeds: {}, trees: {}, isMapUnavailable: false });
});
afterAll(async () => {
  await workers.close();
  await servers.close();
});

describe('a list of patterns that would compile to 200,000 instructions', () => {
  const excludePaths = ['/blog/*', ...Array.from({ length: 200 }, (_, i) => `re:(.{0,500}){0,1}a<${i}>(.*a){9}`)];
  const refusal = {
    code: 'validation',
    message: expect.stringMatching(/^config\.exclude_paths: pattern \d+ can't be used: it has [\d,]+ instructions/),
    detail: [{ loc: ['body', 'config', 'exclude_paths', expect.any(Number)], type: 'pattern_refused' }],
  };

  it('is refused by every method that takes patterns, at little CPU and memory, before it is compiled', async () => {
    const cpuMs = countCpuMs();
    const heapBefore = process.memoryUsage().heapUsed;
    const scope = scopeOf({ excludePaths });
    const checked = { seed: `${HOME}/`, scope, urls: [], projectId: project.projectId };
    for (const call of [
      () => project.dryRun({ excludePaths }),
      () => project.sources({ excludePaths }),
      () => project.preview({ excludePaths }),
      () => project.start({ scope }),
      () => service.peer.call(Rpc.checkUrls, checked, project.caller),
    ]) {
      await expect(call()).rejects.toMatchObject(refusal);
    }
    expect(cpuMs()).toBeLessThan(5_000);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(128 * 1024 * 1024);
  });
});

describe('a dry run', () => {
  it('evaluates a scope over known URLs with reasons and costs, and fetches nothing', async () => {
    const before = workers.order.length;
    servers.trees = { [project.projectId]: blog.map(at) };
    const old = ['/blog/1', '/blog/10', '/blog/11'].map(at);
    servers.files = Object.fromEntries(old.map((url) => [url, at('/sitemap-old.xml')]));
    const scope = {
      excludePaths: ['/shop/*', '/nothing/*'],
      sitemapExclude: ['/sitemap-old*'],
      maxDepth: 2,
      maxPages: 5,
    };
    const response = await project.dryRun(scope, 2);
    expect(response).toMatchObject({
      runId,
      known: 20,
      // The seed, /blog/0 and /blog/2 to /blog/9, /deep/1 and /deep/2.
      inScope: 12,
      visited: 5,
      newlyIn: 0,
      newlyOut: 8,
      isCut: false,
    });
    const reasons = Object.fromEntries(response.excluded.map(({ reason, urls }) => [reason, urls]));
    expect(reasons).toEqual({
      'matches exclude_paths /shop/*': 3,
      'sitemap_include and sitemap_exclude leave out the sitemap files that contain it': 3,
      'deeper than max_depth': 1,
      'it is no longer listed': 1,
    });
    expect(response.excluded[0]?.samples).toHaveLength(2);
    expect(response.samples).toHaveLength(2);
    expect(response.newlyOutSamples).toHaveLength(2);
    const run = await project.get(runId);
    expect(response.estimatedCredits).toBe(Math.ceil((5 * (run?.creditsUsed ?? 0)) / (run?.done ?? 1)));
    expect(response.patterns.map(({ field, pattern, urls }) => [field, pattern, urls])).toEqual([
      ['exclude_paths', '/shop/*', 3],
      ['exclude_paths', '/nothing/*', 0],
      ['sitemap_exclude', '/sitemap-old*', 1],
    ]);
    expect(workers.order).toHaveLength(before);
  });

  it('lists the URLs the run left in the queue that would be fetched now', async () => {
    const small = projectClient(service);
    const { id } = await small.start({ scope: scopeOf({ maxPages: 3 }) });
    await small.ended(id);
    const response = await small.dryRun({ maxPages: 100 }, 20);
    expect(response.newlyIn).toBe(response.known - 3);
    expect(response.newlyInSamples).toContain(at('/blog/7'));
    expect(response).toMatchObject({ inScope: response.known, visited: response.known, newlyOut: 0, excluded: [] });
  });

  it('estimates the price of browsers where the settings require one, whatever the run before cost', async () => {
    const [plain, pictures] = [
      await project.dryRun({}, 0),
      await project.dryRun({}, 0, captureOptions({ screenshot: 'full' })),
    ];
    expect(pictures.visited).toBe(plain.visited);
    expect(pictures.estimatedCredits).toBe(5 * plain.visited);
    expect(plain.estimatedCredits).toBeLessThan(pictures.estimatedCredits);
  });

  it('is empty before the first run, and rejects invalid patterns', async () => {
    const fresh = projectClient(service);
    expect(await fresh.dryRun()).toMatchObject({ runId: undefined, known: 0, visited: 0, estimatedCredits: 0 });
    await expect(fresh.dryRun({ includePaths: ['re:('] })).rejects.toMatchObject({ code: 'validation' });
  });

  it('is empty for a key of other projects', async () => {
    const stranger = projectClient(service, undefined, project.projectId);
    expect(await stranger.dryRun()).toMatchObject({ runId: undefined, known: 0 });
    const key = callerIn(project.workspaceId, { projects: [newId('prj')] });
    const request = {
      projectId: project.projectId,
      seed: at('/'),
      scope: scopeOf(),
      options: captureOptions(),
      samples: 1,
    };
    expect(await service.peer.call(Rpc.dryRun, request, key)).toMatchObject({ runId: undefined, known: 0 });
  });
});

describe('the sources of a project', () => {
  it('are returned with the results of each in the last full run', async () => {
    const urlList = [at('/listed'), at('/old'), at('/never'), 'no URL'];
    const response = await project.sources({ urlList, includePaths: ['/shop/*'] });
    expect(response).toMatchObject({ runId, sitemap: 'read' });
    expect(Object.fromEntries(response.found.map(({ foundVia, urls, pages }) => [foundVia, [urls, pages]]))).toEqual({
      seed: [1, 1],
      sitemap: [12, 12],
      list: [1, 1],
      // /blog/0 too, by the link to /old.
      link: [7, 7],
    });
    expect(response.list.map(({ outcome }) => outcome?.value)).toEqual(['blocked', 'ok', undefined, undefined]);
    expect(response.patterns).toMatchObject([{ field: 'include_paths', pattern: '/shop/*', urls: 3 }]);
  });

  it('are empty before the first run', async () => {
    const response = await projectClient(service).sources({ urlList: [at('/x')], feeds: [at('/f')] });
    expect(response).toMatchObject({
      runId: undefined,
      found: [],
      sitemap: 'none',
      list: [{ url: at('/x'), outcome: undefined }],
    });
  });
});

describe('a preview of sources', () => {
  const declared = [...blog, '/new/1', '/new/2', '/new/3'].map(at);

  it('counts patterns over declared and known URLs, reads feeds and checks the list', async () => {
    servers.trees = { [project.projectId]: declared, '': [at('/other')] };
    servers.files = Object.fromEntries(declared.slice(-3).map((url) => [url, at('/sitemap-new.xml')]));
    servers.feeds = { [at('/feed')]: { entries: [at('/new/9'), at('/shop/9'), 'https://other.test/x'] } };
    const urlList = [at('/listed'), `${at('/listed')}#again`, 'ftp://x', 'https://other.test/y'];
    const response = await project.preview({
      includePaths: ['/new/*', '/shop/*'],
      sitemapInclude: ['/sitemap-new*'],
      feeds: [at('/feed'), at('/gone')],
      urlList,
    });
    expect(response).toMatchObject({ declared: 15, known: 20 });
    expect(response.patterns.map(({ field, pattern, urls }) => [field, pattern, urls])).toEqual([
      ['include_paths', '/new/*', 3],
      ['include_paths', '/shop/*', 3],
      ['sitemap_include', '/sitemap-new*', 1],
    ]);
    expect(response.feeds).toMatchObject([
      {
        url: at('/feed'),
        httpStatus: 200,
        entries: 3,
        inScope: 2,
        samples: [at('/new/9'), at('/shop/9')],
        error: undefined,
      },
      { url: at('/gone'), httpStatus: 404, entries: 0, inScope: 0, error: 'answers 404' },
    ]);
    expect(response.list).toEqual([
      { url: urlList[0], normalized: at('/listed'), problem: undefined },
      { url: urlList[1], normalized: at('/listed'), problem: expect.stringContaining('entry 1') },
      { url: 'ftp://x', normalized: undefined, problem: 'not a web URL' },
      { url: urlList[3], normalized: urlList[3], problem: expect.stringContaining('another site') },
    ]);
    // The seed, three new pages, three of the shop, two of the feed, two of the list.
    expect(response.estimatedPages).toBe(11);
    expect(response.estimatedCredits).toBeGreaterThan(0);
  });

  it('reads feeds for 8 of its 15 seconds, so that a host that does not respond delays no person for longer', async () => {
    const feeds = Array.from({ length: 12 }, (_, index) => at(`/silent/${index}`));
    servers.feeds = Object.fromEntries(feeds.map((url) => [url, 'silent' as const]));
    const response = await project.preview({ feeds });
    expect(response.feeds.map(({ error }) => error)).toEqual(feeds.map(() => 'not read within 8000 ms'));
  });

  it('uses the tree of the site if the project has none, and no tree before the first', async () => {
    servers.trees = { '': declared };
    expect((await project.preview()).declared).toBe(15);
    servers.trees = {};
    expect(await projectClient(service).preview()).toMatchObject({ declared: 0, known: 0, estimatedPages: 1 });
  });

  it('pages through a large tree', async () => {
    servers.trees = { '': Array.from({ length: 25_000 }, (_, i) => at(`/many/${i}`)) };
    const response = await projectClient(service).preview({ includePaths: ['/many/1*'], maxPages: 100 });
    expect(response).toMatchObject({ declared: 25_000, estimatedPages: 100, estimatedCredits: 100 });
    expect(response.patterns[0]?.urls).toBe(11_111);
  });

  it('fails with a readable message if the map service is unavailable', async () => {
    servers.isMapUnavailable = true;
    await expect(project.preview()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('can’t be read at the moment'),
    });
  });
});
