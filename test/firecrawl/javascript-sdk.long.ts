import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asObject } from '@tidemark/api';
import { startFakeModel } from '@tidemark/testkit';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import type { Api } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';

const SDK = { name: '@mendable/firecrawl-js', version: '4.42.0' } as const;

interface Document {
  readonly markdown?: string;
  readonly html?: string;
  readonly links?: readonly string[];
  readonly json?: unknown;
  readonly metadata?: { readonly title?: string; readonly statusCode?: number; readonly sourceURL?: string };
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly completed: number;
  readonly total: number;
  readonly data: readonly Document[];
}

type Options = Readonly<Record<string, unknown>>;

/** The parts of the client that the tests use. */
interface Client {
  scrape(url: string, options?: Options): Promise<Document>;
  crawl(url: string, options?: Options): Promise<Job>;
  startCrawl(url: string, options?: Options): Promise<{ readonly id: string; readonly url: string }>;
  getCrawlErrors(id: string): Promise<{ readonly errors: readonly { readonly url: string }[] }>;
  cancelCrawl(id: string): Promise<boolean>;
  batchScrape(urls: readonly string[], options?: Options): Promise<Job>;
  map(url: string, options?: Options): Promise<{ readonly links: readonly { readonly url: string }[] }>;
  getCreditUsage(): Promise<{ readonly remainingCredits: number }>;
  getCreditUsageHistorical(): Promise<{ readonly periods: readonly { readonly creditsUsed: number }[] }>;
  getConcurrency(): Promise<{ readonly concurrency: number; readonly maxConcurrency: number }>;
  getActiveCrawls(): Promise<{ readonly crawls: readonly { readonly id: string; readonly url: string }[] }>;
  startBatchScrape(urls: readonly string[]): Promise<{ readonly id: string; readonly invalidURLs?: readonly string[] }>;
  getBatchScrapeStatus(id: string): Promise<Job>;
  getBatchScrapeErrors(id: string): Promise<{ readonly errors: readonly { readonly url: string }[] }>;
  getQueueStatus(): Promise<{ readonly jobsInQueue: number }>;
  search(query: string): Promise<unknown>;
  createMonitor(request: Options): Promise<Monitor>;
  listMonitors(): Promise<readonly Monitor[]>;
  getMonitor(id: string): Promise<Monitor>;
  updateMonitor(id: string, request: Options): Promise<Monitor>;
  deleteMonitor(id: string): Promise<boolean>;
  runMonitor(id: string): Promise<Check>;
  listMonitorChecks(id: string, options?: Options): Promise<readonly Check[]>;
  getMonitorCheck(id: string, check: string, options?: Options): Promise<Check>;
  watcher(id: string, options?: Options): NodeJS.EventEmitter & { start(): Promise<void>; close(): void };
}

interface Monitor {
  readonly id: string;
  readonly status: string;
  readonly schedule: { readonly cron?: string };
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly monitorId: string;
  readonly summary?: Readonly<Record<string, number>>;
  readonly pages?: readonly CheckedPage[];
}

interface CheckedPage {
  readonly url: string;
  readonly status: string;
  readonly statusCode?: number;
  readonly previousScrapeId?: string | null;
  readonly currentScrapeId?: string | null;
  readonly error?: string | null;
}

interface SdkModule {
  readonly default: new (options: { readonly apiUrl: string; readonly apiKey: string }) => Client;
}

const dir = await fetchedPackage(SDK.name, SDK.version);
const fleet = sharedFleet();
let site: HarbourSite;
let client: Client;
let admin: Api;

beforeAll(async () => {
  const entry = pathToFileURL(join(dir ?? '', 'node_modules', SDK.name, 'dist/index.js')).href;
  const sdk: SdkModule = await import(entry);
  site = await startHarbour('127.0.0.6');
  admin = (await fleet.workspaces.make()).admin;
  client = new sdk.default({ apiUrl: `${fleet.url}/firecrawl`, apiKey: admin.key });
}, 600_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

/** Returns the request of this process with a number, counted from now, once it is sent. */
function requestNumber(number: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let sent = 0;
  const count = (message: unknown) => {
    const { request } = asObject(message);
    if (!(request instanceof ClientRequest) || !request.path.startsWith('/firecrawl/')) return;
    sent += 1;
    if (sent !== number) return;
    unsubscribe('http.client.request.start', count);
    resolve(`${request.method} ${request.path}`);
  };
  subscribe('http.client.request.start', count);
  return promise;
}

const pathsOf = (documents: readonly Document[]) =>
  documents.map(({ metadata }) => new URL(metadata?.sourceURL ?? '').pathname).toSorted();

needs('fetched-package', dir !== undefined, () =>
  describe('the SDK of Firecrawl for JavaScript', () => {
    test('scrapes a page into a document with its metadata', async () => {
      const document = await client.scrape(`${site.origin}/prices`, { formats: ['markdown', 'html', 'links'] });
      expect(document).toMatchObject({
        markdown: expect.stringContaining('crowns a night'),
        html: expect.stringContaining('<'),
        links: expect.any(Array),
        metadata: { title: 'Prices', statusCode: 200 },
      });
    });

    test('sends a scrape beyond its timeout again, and returns the page of the first job', async () => {
      const gate = Promise.withResolvers<void>();
      site.gate = gate;
      const secondScrape = requestNumber(2);
      const scraping = client.scrape(`${site.origin}/slow`, { timeout: 1_000, formats: ['markdown'] });
      const second = await secondScrape;
      gate.resolve();
      expect((await scraping).metadata).toMatchObject({ title: 'Slow' });
      expect({ second, reads: site.reads('/slow') }).toEqual({ second: 'POST /firecrawl/v2/scrape', reads: 1 });
    });

    test('waits for a crawl and returns every page', async () => {
      const crawl = await client.crawl(`${site.origin}/`, { limit: 10, scrapeOptions: { formats: ['markdown'] } });
      expect(crawl.status).toBe('completed');
      expect(pathsOf(crawl.data)).toEqual(['/', '/gone', '/hidden', '/marees', '/prices']);
    });

    test('waits for a batch and returns every page', async () => {
      const batch = await client.batchScrape(
        ['/', '/prices'].map((path) => `${site.origin}${path}`),
        {
          options: { formats: ['markdown'] },
        },
      );
      expect(batch).toMatchObject({ status: 'completed', completed: 2, total: 2 });
      expect(pathsOf(batch.data)).toEqual(['/', '/prices']);
    });

    test('returns every page of a batch of more pages than one response has', async () => {
      const urls = Array.from({ length: 120 }, (_, at) => `${site.origin}/prices?n=${at}`);
      const batch = await client.batchScrape(urls, { options: { formats: ['links'] } });
      expect(new Set(batch.data.map(({ metadata }) => metadata?.sourceURL))).toEqual(new Set(urls));
    });

    test('sets invalid URLs of a batch aside, and lists the pages that could not be read', async () => {
      const batch = await client.startBatchScrape([`${site.origin}/`, 'not a url', 'http://127.0.0.6:65535/']);
      expect(batch.invalidURLs).toEqual(['not a url']);
      await until(
        'the batch has ended',
        async () => (await client.getBatchScrapeStatus(batch.id)).status === 'completed',
      );
      const { errors } = await client.getBatchScrapeErrors(batch.id);
      expect(errors.map(({ url }) => url)).toEqual(['http://127.0.0.6:65535/']);
    });

    test('throws an error with its code for a page without a response', async () => {
      const scraping = client.scrape('http://127.0.0.6:65535/');
      await expect(scraping).rejects.toMatchObject({ code: 'SCRAPE_ALL_ENGINES_FAILED' });
    });

    test('maps a site', async () => {
      const { links } = await client.map(site.origin);
      expect(links.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/prices', '/hidden']);
    });

    test('watches a crawl to its end, with a document per page', async () => {
      const { id } = await client.startCrawl(`${site.origin}/`, { limit: 10 });
      const watcher = client.watcher(id, { kind: 'crawl', pollInterval: 1 });
      const seen: Document[] = [];
      watcher.on('document', (document: Document) => seen.push(document));
      const done = once(watcher, 'done');
      await watcher.start();
      await done;
      expect(seen.length).toBe(5);
    });

    test('cancels a crawl that it lists as active, and lists the errors of its pages', async () => {
      site.gate = Promise.withResolvers<void>();
      const { id } = await client.startCrawl(`${site.origin}/slow`, { limit: 10 });
      const { crawls } = await client.getActiveCrawls();
      expect(crawls).toMatchObject([{ id, url: `${site.origin}/slow` }]);
      expect(await client.cancelCrawl(id)).toBe(true);
      site.gate.resolve();
      expect(await client.getCrawlErrors(id)).toHaveProperty('errors');
    });

    test('reads the credits and the queue of the workspace', async () => {
      expect((await client.getCreditUsage()).remainingCredits).toBeGreaterThan(0);
      expect((await client.getQueueStatus()).jobsInQueue).toBeGreaterThanOrEqual(0);
      expect(await client.getConcurrency()).toMatchObject({
        concurrency: expect.any(Number),
        maxConcurrency: expect.any(Number),
      });
      const { periods } = await client.getCreditUsageHistorical();
      expect(periods.at(-1)?.creditsUsed).toBeGreaterThan(0);
    });

    test('extracts values by a schema through the model of the workspace, and refuses the format without one', async () => {
      const schema = { type: 'object', properties: { fee: { type: 'number' } }, required: ['fee'] };
      const formats = [{ type: 'json', schema }];
      await expect(client.scrape(`${site.origin}/prices`, { formats })).rejects.toThrow(/requires a language model/);
      const model = await startFakeModel();
      try {
        model.reply = JSON.stringify({ fee: 12 });
        const config = { model: 'tide-1', base_url: `${model.site.origin}/v1` };
        const connection = { provider: 'openai', name: 'Model', config, secrets: { api_key: 'sk-one' } };
        expect((await admin.post('/connections', connection)).status).toBeLessThan(300);
        expect(await client.scrape(`${site.origin}/prices`, { formats })).toMatchObject({ json: { fee: 12 } });
      } finally {
        await model.close();
      }
    });

    test('creates a monitor, runs it, reads every page of a check in several responses, pauses and deletes it', async () => {
      const { id, schedule } = await client.createMonitor({
        name: 'Harbour',
        schedule: { text: 'every 30 minutes', timezone: 'UTC' },
        targets: [{ type: 'crawl', url: `${site.origin}/`, crawlOptions: { limit: 10 } }],
      });
      expect(schedule.cron).toBe('*/30 * * * *');
      const endOf = async () => {
        const check = (await client.runMonitor(id)).id;
        return until(`the check ${check} has ended`, async () => {
          const found = await client.getMonitorCheck(id, check, { limit: 1 });
          return found.status === 'completed' && found;
        });
      };
      const first = await endOf();
      // The site links to one page that does not exist.
      const gone = first.pages?.filter(({ url }) => url === `${site.origin}/gone`) ?? [];
      expect(gone).toMatchObject([{ status: 'error', statusCode: 404, error: expect.any(String) }]);
      const read = first.pages?.filter(({ url }) => url !== `${site.origin}/gone`) ?? [];
      expect(first).toMatchObject({
        monitorId: id,
        summary: { totalPages: read.length + 1, new: read.length, changed: 0, same: 0, removed: 0, error: 1 },
      });
      expect(read.length).toBeGreaterThan(2);
      for (const page of read)
        expect(page).toMatchObject({
          status: 'new',
          statusCode: 200,
          previousScrapeId: null,
          currentScrapeId: expect.stringMatching(/^\w{4,}/),
          error: null,
        });
      site.fee = 15;
      const { id: check, pages = [] } = await endOf();
      const changed = pages.find(({ status }) => status === 'changed');
      expect(changed).toMatchObject({
        url: `${site.origin}/prices`,
        previousScrapeId: read.find(({ url }) => url === `${site.origin}/prices`)?.currentScrapeId,
      });
      expect((await client.listMonitorChecks(id)).map((one) => one.id)).toContain(check);
      expect((await client.listMonitors()).map((one) => one.id)).toContain(id);
      expect(await client.updateMonitor(id, { status: 'paused' })).toMatchObject({ status: 'paused' });
      expect(await client.deleteMonitor(id)).toBe(true);
      await expect(client.getMonitor(id)).rejects.toMatchObject({ status: 404 });
    });

    test('throws the refusal of a format without an equivalent, which names it', async () => {
      const scraping = client.scrape(`${site.origin}/`, { formats: ['summary'] });
      await expect(scraping).rejects.toThrow(/summary/);
    });

    test('throws the refusal of a part that the service lacks', async () => {
      await expect(client.search('tides')).rejects.toThrow(/search/);
    });
  }),
);
