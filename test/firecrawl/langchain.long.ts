import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';

const LOADERS = { name: '@langchain/community', version: '1.1.29' } as const;
const PEERS = ['@langchain/core@1.4.0', '@mendable/firecrawl-js@4.42.0'] as const;

interface LoaderOptions {
  readonly url: string;
  readonly mode: 'scrape' | 'map';
  readonly apiUrl: string;
  readonly apiKey: string;
}

interface LoadersModule {
  readonly FireCrawlLoader: new (
    options: LoaderOptions,
  ) => { load(): Promise<readonly { readonly pageContent: string; readonly metadata: object }[]> };
}

const dir = await fetchedPackage(LOADERS.name, LOADERS.version, PEERS);
const fleet = sharedFleet();
let site: HarbourSite;
let loaders: LoadersModule;
let apiKey = '';

beforeAll(async () => {
  const entry = join(dir ?? '', 'node_modules', LOADERS.name, 'dist/document_loaders/web/firecrawl.js');
  loaders = await import(pathToFileURL(entry).href);
  site = await startHarbour('127.0.0.6');
  apiKey = (await fleet.workspaces.make()).admin.key;
}, 600_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

const load = (mode: LoaderOptions['mode'], url: string) =>
  new loaders.FireCrawlLoader({ url, mode, apiUrl: `${fleet.url}/firecrawl`, apiKey }).load();

// The mode `crawl` of this loader fails with every server: the SDK returns a crawl without the field that the loader requires.
needs('fetched-package', dir !== undefined, () =>
  describe('the loader of LangChain for Firecrawl', () => {
    test('loads a page with its content and metadata', async () => {
      expect(await load('scrape', `${site.origin}/prices`)).toMatchObject([
        { pageContent: expect.stringContaining('crowns a night'), metadata: { title: 'Prices', statusCode: 200 } },
      ]);
    });

    test('fails for a page that is not served', async () => {
      await expect(load('scrape', 'http://127.0.0.6:65535/')).rejects.toThrow();
    });
  }),
);
