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
  type Ground,
  layGround,
  newWorkspace,
  type RunningService,
  startFakeBilling,
  startFakeBrowserPool,
  startService,
  startWebSite,
  until,
  type WebSite,
} from '@tidemark/testkit';
import { scrape } from '../src/service.ts';
import { type FakeArchive, startFakeArchive } from './fake-archive.ts';

/** Scrape between a real web site, a database, a bus and a blob store of its own; billing and the browsers are fakes. */
export interface ScrapeGround extends Ground {
  readonly billing: FakeBilling;
  readonly browsers: FakeBrowserPool;
  readonly archive: FakeArchive;
  readonly site: WebSite;
  /** The environment scrape was started with. */
  readonly serviceEnv: Readonly<Record<string, string>>;
  service: RunningService;
  replica(env?: Readonly<Record<string, string>>): Promise<RunningService>;
  rowOf(jobId: string): Promise<JobRow | undefined>;
  /** Takes the blob store away until the answer is called. */
  breakBlobs(): Promise<() => Promise<void>>;
}

export interface JobRow {
  readonly status: string;
  readonly owner: string;
  readonly attempts: number;
  readonly capture_id: string;
  readonly credits: number;
}

export async function openScrape(listener: RequestListener): Promise<ScrapeGround> {
  const ground = await layGround();
  const billing = ground.own(await startFakeBilling(ground.nats.url));
  const browsers = ground.own(await startFakeBrowserPool());
  const archive = ground.own(await startFakeArchive());
  const site = ground.own(await startWebSite(listener));
  const serviceEnv = {
    ...ground.env,
    BILLING_ADDR: billing.address,
    BROWSER_POOL_ADDR: browsers.address,
    ARCHIVE_ADDR: archive.address,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    TIDEMARK_EGRESS_ALLOW: `${site.host},site.test`,
    READ_THREADS: '1',
  };
  const replica: ScrapeGround['replica'] = async (env = {}) =>
    ground.own(await startService(scrape, { ...serviceEnv, ...env }));
  return {
    ...ground,
    billing,
    browsers,
    archive,
    site,
    serviceEnv,
    service: await replica(),
    replica,
    async rowOf(jobId) {
      const [row] = await ground.database.sql<JobRow>(
        'SELECT status, owner, attempts, capture_id, credits FROM scrape.jobs WHERE id = $1',
        [jobId],
      );
      return row;
    },
    async breakBlobs() {
      const aside = `${ground.blobDir}-aside`;
      await rename(ground.blobDir, aside);
      const { writeFile, rm } = await import('node:fs/promises');
      await writeFile(ground.blobDir, 'a file where a folder should be');
      return async () => {
        await rm(ground.blobDir);
        await rename(aside, ground.blobDir);
      };
    },
  };
}

/** One workspace as it uses scrape. */
export function clientIn(ground: ScrapeGround, workspaceId = newWorkspace()) {
  const caller = callerIn(workspaceId);
  const scrapeAt = (at: RunningService, url: string, more: Partial<ScrapeRequest> = {}): Promise<ScrapeResponse> => {
    const asked = {
      url,
      options: captureOptions(),
      waitMs: 20_000,
      idempotencyKey: '',
      requestHash: '',
      kind: '',
      ...more,
    };
    return at.peer.call(Rpc.scrape, asked, caller, { deadlineMs: 40_000 });
  };
  const job = async (id: string): Promise<Job | undefined> =>
    (await ground.service.peer.call(Rpc.getJob, { id }, caller)).job;
  return {
    workspaceId,
    scrapeAt,
    scrape: (path: string, more: Partial<ScrapeRequest> = {}) =>
      scrapeAt(ground.service, new URL(path, ground.site.origin).href, more),
    job,
    cancel: async (id: string) => (await ground.service.peer.call(Rpc.cancelJob, { id }, caller)).job,
    list: (cursor = '', limit = 100) => ground.service.peer.call(Rpc.listJobs, { cursor, limit }, caller),
    /** The job once it has ended. */
    ended: (id: string, withinMs = 20_000) =>
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

/** A page long enough to be read as one. */
export const article = (title: string, words = 200): string => {
  const said = Array.from({ length: words }, (_, i) => WORDS.split(' ')[i % 10]).join(' ');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${said}.</p></main></body></html>`;
};

/** What a single-page application answers before its scripts have run. */
export const appShell =
  '<!doctype html><html><head><title>App</title><script src="/static/js/main.8f3c.js" defer></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>';
