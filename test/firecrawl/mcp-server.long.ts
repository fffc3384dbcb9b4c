import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asList, asObject, asText } from '@tidemark/api';
import { needs } from '@tidemark/testkit/needs';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';

const SERVER = { name: 'firecrawl-mcp', version: '3.26.0' } as const;

const dir = await fetchedPackage(SERVER.name, SERVER.version);
const fleet = sharedFleet();
let site: HarbourSite;
let client: Client;

beforeAll(async () => {
  const program = join(dir ?? '', 'node_modules', SERVER.name, 'dist/index.js');
  site = await startHarbour('127.0.0.6');
  const env = {
    PATH: process.env['PATH'] ?? '',
    FIRECRAWL_API_URL: `${fleet.url}/firecrawl`,
    FIRECRAWL_API_KEY: (await fleet.workspaces.make()).admin.key,
  };
  client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env }));
}, 600_000);
afterAll(async () => {
  await client.close();
  site.close();
  await fleet.close();
});

/** Calls a tool and returns the text of its result. */
async function call(name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const text = asList(content)
    .map((part) => asText(asObject(part)['text']))
    .join('');
  return { isError, text };
}

/** Calls a tool and returns its result. @throws Error with the text of a failed call */
async function result(name: string, args: Record<string, unknown> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { isError, text } = await call(name, args);
  if (isError) throw new Error(text);
  return asObject(JSON.parse(text));
}

needs('fetched-package', dir !== undefined, () =>
  describe('the MCP server of Firecrawl', () => {
    test('scrapes a page', async () => {
      const page = await result('firecrawl_scrape', { url: `${site.origin}/prices`, formats: ['markdown'] });
      expect(page).toMatchObject({
        markdown: expect.stringContaining('crowns a night'),
        metadata: { statusCode: 200 },
      });
    });

    test('maps a site', async () => {
      const { links } = await result('firecrawl_map', { url: site.origin });
      expect(asList(links).map((link) => asObject(link)['url'])).toContain(`${site.origin}/prices`);
    });

    test('crawls a site to its end, and reads the status of the crawl by its id', async () => {
      const crawl = await result('firecrawl_crawl', { url: `${site.origin}/`, limit: 10 });
      expect(crawl).toMatchObject({ status: 'completed', completed: 5 });
      expect(asList(crawl['data'])).toHaveLength(5);
      const id = asText(crawl['id']);
      expect(await result('firecrawl_check_crawl_status', { id })).toMatchObject({ status: 'completed' });
    });

    test('creates a monitor, lists it and deletes it, and returns why a goal can not be used', async () => {
      const page = `${site.origin}/prices`;
      const body = { name: 'Prices', schedule: { text: 'hourly' }, targets: [{ type: 'scrape', urls: [page] }] };
      expect(await result('firecrawl_monitor_create', { body })).toBeTruthy();
      const { text } = await call('firecrawl_monitor_list');
      const [id = ''] = /prj_\w+/.exec(text) ?? [];
      expect(text).toContain('"Prices"');
      expect((await call('firecrawl_monitor_delete', { id })).isError).toBe(false);
      const refused = await call('firecrawl_monitor_create', { page, goal: 'Prices' });
      expect(refused).toEqual({ isError: true, text: expect.stringContaining('goal requires a language model') });
    });

    test('reads the credits and their history', async () => {
      expect((await result('firecrawl_credit_usage'))['remainingCredits']).toBeGreaterThan(0);
      const { periods } = await result('firecrawl_credit_usage', { view: 'historical' });
      expect(asObject(asList(periods).at(-1))['creditsUsed']).toEqual(expect.any(Number));
    });

    test('returns the refusal of a format without an equivalent as an error, which names it', async () => {
      const { isError, text } = await call('firecrawl_scrape', { url: `${site.origin}/`, formats: ['branding'] });
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('branding is not supported') });
    });

    test('returns the reason for a part that the service lacks as an error', async () => {
      const { isError, text } = await call('firecrawl_search', { query: 'tides' });
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('does not search the web') });
    });
  }),
);
