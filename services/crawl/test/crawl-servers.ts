import { randomBytes } from 'node:crypto';
import {
  type LinkSet,
  type ListLinksRequest,
  CrawlServiceService as Rpc,
  Scope,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import {
  callerIn,
  captureOptions,
  type FakeBilling,
  type FakePage,
  type FakeScrapeOptions,
  type FakeScrapeWorkers,
  newWorkspace,
  type RunningService,
  startEmptyArchive,
  startFakeBilling,
  startFakeBrowserPool,
  startFakeScrapeWorkers,
  startService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { crawl } from '../src/service.ts';
import { type FakeMapData, startFakeMap } from './fake-map.ts';

export type Site = Readonly<Record<string, FakePage>>;
export const HOME = 'https://site.test';

/** Returns the handler of a fake site whose pages and links are given by path. */
export const siteOf = (pages: Site) => {
  const absolute = (path: string): string => (path.startsWith('/') ? `${HOME}${path}` : path);
  const byUrl = new Map(Object.entries(pages).map(([path, page]) => [absolute(path), page]));
  return (url: string): FakePage | undefined => {
    const page = byUrl.get(url);
    if (page === undefined) return undefined;
    const { links = [], landsAt, through, canonical } = page;
    return {
      ...page,
      links: links.map(absolute),
      ...(landsAt === undefined ? {} : { landsAt: absolute(landsAt) }),
      ...(through === undefined ? {} : { through: through.map(absolute) }),
      ...(canonical === undefined ? {} : { canonical: absolute(canonical) }),
    };
  };
};

/** Everything a crawl stands on, a real bus and database among it. */
export interface CrawlServers extends FakeMapData {
  readonly servers: TestServers;
  readonly billing: FakeBilling;
  readonly env: Readonly<Record<string, string>>;
  /** Starts another process's worth of crawl. */
  start(more?: Readonly<Record<string, string>>): Promise<RunningService>;
  workers(site: FakeScrapeOptions['site'], more?: Partial<FakeScrapeOptions>): Promise<FakeScrapeWorkers>;
  close(): Promise<void>;
}

export async function openCrawl(): Promise<CrawlServers> {
  const servers = await startTestServers();
  const billing = servers.own(await startFakeBilling(servers.nats.url, 1_000_000));
  const archive = servers.own(await startEmptyArchive());
  const browsers = servers.own(await startFakeBrowserPool());
  const mapData: FakeMapData = { sitemap: [], files: {}, feeds: {}, trees: {}, isMapUnavailable: false };
  const map = servers.own(await startFakeMap(mapData));
  const env = {
    ...servers.env,
    BILLING_ADDR: billing.address,
    ARCHIVE_ADDR: archive.address,
    MAP_ADDR: map.address,
    BROWSER_POOL_ADDR: browsers.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: 'site.test,127.0.0.1',
  };
  return Object.assign(mapData, {
    servers,
    billing,
    env,
    start: async (more = {}) => servers.own(await startService(crawl, { ...env, ...more })),
    workers: async (site: FakeScrapeOptions['site'], more = {}) =>
      servers.own(await startFakeScrapeWorkers({ natsUrl: servers.nats.url, site, ...more })),
    close: () => servers.close(),
  });
}

export const scopeOf = (more: Partial<Scope> = {}): Scope => ({
  ...Scope.fromPartial({
    maxPages: 1_000,
    maxDepth: 10,
    useSitemap: true,
    sitemapMode: 'auto',
    crawlMode: 'sitemap_first',
    timeLimitMinutes: 10,
    concurrency: 8,
  }),
  ...more,
});

/** A run with the name of its stop reason. */

/** A workspace's way to its crawls. */
export function clientIn(service: RunningService, workspaceId = newWorkspace()) {
  const caller = callerIn(workspaceId);
  const get = async (id: string) => {
    const { run } = await service.peer.call(Rpc.getRun, { id, withLog: false, withConfig: false }, caller);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run;
  };
  return {
    workspaceId,
    get,
    async start(
      more: Partial<Scope> = {},
      order: { seed?: string; key?: string; hash?: string; webhookUrl?: string } = {},
    ) {
      const request = {
        seed: order.seed ?? `${HOME}/`,
        scope: scopeOf(more),
        options: captureOptions(),
        trigger: 'crawl' as const,
        projectId: '',
        webhookUrl: order.webhookUrl ?? '',
        webhookEvents: [],
        idempotencyKey: order.key ?? '',
        requestHash: order.hash ?? '',
      };
      const response = await service.peer.call(Rpc.startRun, request, caller);
      return { ...response, id: response.run?.id ?? '' };
    },
    ended: (id: string, withinMs = 60_000) =>
      until(
        `run ${id} to end`,
        async () => {
          const run = await get(id);
          if (run.status === 'running' || run.status === 'queued') throw new Error(JSON.stringify(run));
          return run;
        },
        { withinMs },
      ),
    async pages(id: string): Promise<RunPage[]> {
      const all: RunPage[] = [];
      for (;;) {
        const after = all.at(-1)?.number ?? 0;
        const { pages } = await service.peer.call(Rpc.listEnded, { id, after, limit: 1_000 }, caller);
        if (pages.length === 0) return all;
        all.push(...pages);
      }
    },
    find: async (id: string, url: string) => (await service.peer.call(Rpc.findPage, { id, url }, caller)).page,
    async cancel(id: string) {
      const { run } = await service.peer.call(Rpc.cancelRun, { id }, caller);
      return run;
    },
    pause: async (id: string) => (await service.peer.call(Rpc.pauseRun, { id }, caller)).run,
    resume: async (id: string) => (await service.peer.call(Rpc.resumeRun, { id }, caller)).run,
    links: (id: string, kind: LinkSet, more: Partial<ListLinksRequest> = {}) =>
      service.peer.call(Rpc.listLinks, { id, kind, after: '', limit: 100, ...more }, caller),
  };
}
