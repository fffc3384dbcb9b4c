import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';

const SDK = { name: '@mendable/firecrawl-js', version: '4.42.0' } as const;
const POLL_SECONDS = 1;

interface Job {
  readonly success: boolean;
  readonly status: string;
  readonly data: readonly { readonly markdown?: string; readonly metadata?: { readonly sourceURL?: string } }[];
}

/** The parts of the client of v1 that the tests use. */
interface ClientV1 {
  scrapeUrl(url: string, params?: object): Promise<{ readonly success: boolean; readonly markdown?: string }>;
  crawlUrl(url: string, params?: object, pollInterval?: number, idempotencyKey?: string): Promise<Job>;
  asyncCrawlUrl(url: string, params?: object, idempotencyKey?: string): Promise<{ readonly id: string }>;
  checkCrawlErrors(id: string): Promise<{ readonly errors: readonly unknown[] }>;
  cancelCrawl(id: string): Promise<{ readonly success: boolean }>;
  batchScrapeUrls(urls: readonly string[], params?: object, pollInterval?: number): Promise<Job>;
  mapUrl(url: string, params: object): Promise<{ readonly links: readonly string[] }>;
  getCreditUsage(): Promise<{ readonly data: { readonly remaining_credits: number } }>;
}

interface SdkModule {
  readonly FirecrawlAppV1: new (options: { readonly apiUrl: string; readonly apiKey: string }) => ClientV1;
}

const dir = await fetchedPackage(SDK.name, SDK.version);
const fleet = sharedFleet();
let site: HarbourSite;
let client: ClientV1;

beforeAll(async () => {
  const entry = pathToFileURL(join(dir ?? '', 'node_modules', SDK.name, 'dist/index.js')).href;
  const sdk: SdkModule = await import(entry);
  site = await startHarbour('127.0.0.6');
  const apiKey = (await fleet.workspaces.make()).admin.key;
  client = new sdk.FirecrawlAppV1({ apiUrl: `${fleet.url}/firecrawl`, apiKey });
}, 600_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

needs('fetched-package', dir !== undefined, () =>
  describe('the client of version 1 in the SDK of Firecrawl', () => {
    test('scrapes a page', async () => {
      const page = await client.scrapeUrl(`${site.origin}/prices`, { formats: ['markdown'] });
      expect(page).toMatchObject({ success: true, markdown: expect.stringContaining('crowns a night') });
    });

    test('waits for a crawl and returns every page', async () => {
      const crawl = await client.crawlUrl(`${site.origin}/`, { limit: 10 }, POLL_SECONDS);
      expect(crawl).toMatchObject({ status: 'completed' });
      expect(crawl.data).toHaveLength(5);
    });

    test('returns the same crawl for the same idempotency key', async () => {
      const start = (key: string) => client.asyncCrawlUrl(`${site.origin}/prices`, { limit: 1 }, key);
      const key = crypto.randomUUID();
      const [first, second] = [await start(key), await start(key)];
      expect(second.id).toBe(first.id);
    });

    test('waits for a batch under the path of crawls and returns every page', async () => {
      const urls = ['/', '/prices'].map((path) => `${site.origin}${path}`);
      const batch = await client.batchScrapeUrls(urls, { formats: ['markdown'] }, POLL_SECONDS);
      expect(batch).toMatchObject({ status: 'completed' });
      expect(batch.data).toHaveLength(2);
    });

    test('maps a site to a list of texts', async () => {
      expect((await client.mapUrl(site.origin, {})).links).toContain(`${site.origin}/prices`);
    });

    test('cancels a crawl, and lists its errors', async () => {
      site.gate = Promise.withResolvers<void>();
      const { id } = await client.asyncCrawlUrl(`${site.origin}/slow`, { limit: 1, ignoreSitemap: true });
      expect(await client.cancelCrawl(id)).toMatchObject({ success: true });
      site.gate.resolve();
      expect(await client.checkCrawlErrors(id)).toMatchObject({ errors: expect.any(Array) });
    });

    test('reads the credits of the workspace', async () => {
      expect((await client.getCreditUsage()).data.remaining_credits).toBeGreaterThan(0);
    });

    test('throws the refusal of a format without an equivalent, which names it', async () => {
      await expect(client.scrapeUrl(`${site.origin}/`, { formats: ['json'] })).rejects.toThrow(/json/);
    });
  }),
);
