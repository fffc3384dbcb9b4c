import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { newId } from '@tidemark/contracts';
import {
  type Job,
  ScrapeServiceService as Rpc,
  type ScrapeRequest,
  type ScrapeResponse,
} from '@tidemark/contracts/scrape/v1/scrape';
import {
  callerIn,
  captureOptions,
  type FakeBilling,
  type FakeBrowserPool,
  newWorkspace,
  type RunningService,
  startFakeBilling,
  startFakeBrowserPool,
  startRedis,
  startService,
  startTestServers,
  startWebSite,
  type TestServers,
  until,
  type WebSite,
} from '@tidemark/testkit';
import { scrape } from '../src/service.ts';
import { type FakeArchive, startFakeArchive } from './fake-archive.ts';

/** Scrape with a real web site, database, bus and blob store; billing and the browsers are fakes. */
export interface ScrapeServers extends TestServers {
  readonly billing: FakeBilling;
  readonly browsers: FakeBrowserPool;
  readonly archive: FakeArchive;
  readonly site: WebSite;
  /** The environment of the scrape process. */
  readonly serviceEnv: Readonly<Record<string, string>>;
  service: RunningService;
  replica(env?: Readonly<Record<string, string>>): Promise<RunningService>;
  rowOf(jobId: string): Promise<JobRow | undefined>;
  /** Makes the blob store unavailable until the returned function is called. */
  breakBlobs(): Promise<() => Promise<void>>;
}

export interface JobRow {
  readonly status: string;
  readonly owner: string;
  readonly attempts: number;
  readonly capture_id: string;
  readonly credits: number;
}

/** `allow`: further hosts that may be reached. */
export async function openScrape(listener: RequestListener, allow: readonly string[] = []): Promise<ScrapeServers> {
  const servers = await startTestServers();
  const redis = servers.own(await startRedis());
  const billing = servers.own(await startFakeBilling(servers.nats.url));
  const browsers = servers.own(await startFakeBrowserPool());
  const archive = servers.own(await startFakeArchive());
  const site = servers.own(await startWebSite(listener));
  const serviceEnv = {
    ...servers.env,
    // A file per body: tests count stored bodies, and a store whose folder is gone fails at the next write.
    BLOB_URL: `${servers.env['BLOB_URL']}?layout=files`,
    REDIS_URL: redis.url,
    BILLING_ADDR: billing.address,
    BROWSER_POOL_ADDR: browsers.address,
    ARCHIVE_ADDR: archive.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: [site.host, 'site.test', ...allow].join(','),
    READ_THREADS: '1',
    RECONCILE_MS: '200',
  };
  const replica: ScrapeServers['replica'] = async (env = {}) =>
    servers.own(await startService(scrape, { ...serviceEnv, ...env }));
  return {
    ...servers,
    billing,
    browsers,
    archive,
    site,
    serviceEnv,
    service: await replica(),
    replica,
    async rowOf(jobId) {
      const [row] = await servers.database.sql<JobRow>(
        'SELECT status, owner, attempts, capture_id, credits FROM scrape.jobs WHERE id = $1',
        [jobId],
      );
      return row;
    },
    async breakBlobs() {
      const aside = `${servers.blobDir}-aside`;
      await rename(servers.blobDir, aside);
      const { writeFile, rm } = await import('node:fs/promises');
      await writeFile(servers.blobDir, 'a file where a folder should be');
      return async () => {
        await rm(servers.blobDir);
        await rename(aside, servers.blobDir);
      };
    },
  };
}

/** A client of one workspace. */
export function clientIn(servers: ScrapeServers, workspaceId = newWorkspace()) {
  const caller = callerIn(workspaceId);
  const scrapeAt = (at: RunningService, url: string, more: Partial<ScrapeRequest> = {}): Promise<ScrapeResponse> => {
    const request = {
      url,
      options: captureOptions(),
      waitMs: 20_000,
      idempotencyKey: '',
      requestHash: '',
      kind: 'scrape' as const,
      ...more,
    };
    return at.peer.call(Rpc.scrape, request, caller, { deadlineMs: 40_000 });
  };
  const job = async (id: string): Promise<Job | undefined> =>
    (await servers.service.peer.call(Rpc.getJob, { id }, caller)).job;
  return {
    workspaceId,
    scrapeAt,
    scrape: (path: string, more: Partial<ScrapeRequest> = {}) =>
      scrapeAt(servers.service, new URL(path, servers.site.origin).href, more),
    job,
    cancel: async (id: string) => (await servers.service.peer.call(Rpc.cancelJob, { id }, caller)).job,
    list: (cursor?: string, limit = 100) => servers.service.peer.call(Rpc.listJobs, { cursor, limit }, caller),
    /** Returns the job after it has ended. */
    ended: (id: string, withinMs = 60_000) =>
      until(
        `job ${id} to end`,
        async () => {
          const found = await job(id);
          return found !== undefined && found.status !== 'running' && found.status !== 'queued' && found;
        },
        { withinMs },
      ),
  };
}

export const newKey = (): string => newId('req');

const WORDS = 'tide harbour gauge pelican breakwater salt rope lantern keel anchor';

/** Returns a page with enough words to be read as a page. */
export const article = (title: string, words = 200): string => {
  const said = Array.from({ length: words }, (_, i) => WORDS.split(' ')[i % 10]).join(' ');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${said}.</p></main></body></html>`;
};

/** The response of a single-page application before its scripts have run. */
export const appShell =
  '<!doctype html><html><head><title>App</title><script src="/static/js/main.8f3c.js" defer></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>';
