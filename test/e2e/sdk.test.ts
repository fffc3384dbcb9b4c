import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tidemark } from '@tidemark/sdk';
import { sharedFleet } from '../harness/fleet.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const ROOT = join(import.meta.dirname, '../..');
const fleet = sharedFleet();
let site: HarbourSite;
let client: Tidemark;
let apiKey: string;

beforeAll(async () => {
  site = await startHarbour('127.0.0.5');
  apiKey = (await fleet.workspaces.make()).admin.key;
  client = new Tidemark({ apiKey, baseUrl: `${fleet.url}/v1` });
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

describe('the TypeScript SDK', () => {
  test('captures a page and returns its row', async () => {
    const page = await client.scrape(`${site.origin}/prices`, { formats: ['markdown', 'links'] });
    expect(page).toMatchObject({ verdict: 'ok', title: 'Prices', markdown: expect.stringContaining('crowns a night') });
  });

  test('continues a scrape beyond its timeout, and returns the page', async () => {
    const gate = Promise.withResolvers<void>();
    site.gate = gate;
    // The server answers 202 after a second; the page is released after that response.
    const onResponse = ({ status }: Response) => status === 202 && gate.resolve();
    const waiting = new Tidemark({ apiKey, baseUrl: `${fleet.url}/v1`, onResponse });
    expect(await waiting.scrape(`${site.origin}/slow`, { timeout: 1 })).toMatchObject({ verdict: 'ok', title: 'Slow' });
  });

  test('follows a batch to its end and yields a row per URL', async () => {
    const urls = ['/', '/prices', '/marees'].map((path) => `${site.origin}${path}`);
    const batch = await client.batch.start(urls, { formats: 'markdown' });
    const ended = await batch.wait();
    expect(ended).toMatchObject({ status: 'done', progress: { done: 3, total: 3 } });
    const seen: string[] = [];
    for await (const row of batch.pages({ limit: 1, order: 'input' })) seen.push(row.url);
    expect(seen).toEqual(urls);
  });

  test('maps a site', async () => {
    const map = await client.map(site.origin);
    expect(map.data.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/prices', '/hidden']);
    expect(map).toMatchObject({ status: 'done', next: null });
  });

  test('yields the pages of a crawl while it runs, continues from a cursor, and keeps the crawl as a project', async () => {
    const crawl = await client.crawl.start(`${site.origin}/`, { scrapeOptions: { formats: ['markdown'] } });
    const rows: string[] = [];
    for await (const row of crawl.pages({ formats: 'none' })) rows.push(new URL(row.url).pathname);
    expect(rows.toSorted()).toEqual(['/', '/gone', '/hidden', '/marees', '/prices']);
    const reopened = client.crawl.of(crawl.id);
    expect(await reopened.wait()).toMatchObject({ status: 'done', stop: 'finished' });
    const [first] = await takeOne(reopened.lists({ limit: 2 }));
    const rest: string[] = [];
    for await (const row of reopened.pages({ cursor: first?.cursor, limit: 2 })) rest.push(new URL(row.url).pathname);
    expect([...(first?.data ?? []).map(({ url }) => new URL(url).pathname), ...rest]).toEqual(rows);
    expect(await reopened.page(`${site.origin}/prices`)).toMatchObject({ markdown: expect.stringContaining('crowns') });
    const orphans = [];
    for await (const page of reopened.links('orphans')) orphans.push(page.url);
    expect(orphans).toEqual([`${site.origin}/hidden`]);
    const { id } = await reopened.keep({ name: 'Harbour' });
    expect(await client.projects.of(id).get()).toMatchObject({ name: 'Harbour' });
    const { status, headers } = await client.projects.of(id).export({ dataset: 'pages', format: 'jsonl' });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/x-ndjson')]);
  });

  test('throws the error of the API with its code and request id', async () => {
    const refused = client.crawl.of('run_01j5xq2w8se6fa7t0a6q1n3k2m').wait();
    await expect(refused).rejects.toMatchObject({ code: 'not_found', status: 404, requestId: expect.any(String) });
    const nothing = new Tidemark({ apiKey: 'service_wrong', baseUrl: `${fleet.url}/v1` }).call('GET /me');
    await expect(nothing).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  });

  test('has its calls in the documentation for language models, which is served without a key', async () => {
    for (const [path, part] of [
      ['/llms.txt', '[POST /v1/scrape]('],
      ['/llms-full.txt', "client.call('POST /scrape', {"],
    ] as const) {
      const response = await fetch(`${fleet.url}${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(await response.text()).toContain(part);
    }
  });

  test('is used by examples/typescript.ts, which runs to its end', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=tidemark-source', join(ROOT, 'examples/typescript.ts'), `${site.origin}/`],
      { env: { ...process.env, TIDEMARK_API_KEY: apiKey, TIDEMARK_BASE_URL: `${fleet.url}/v1` }, timeout: 60_000 },
    );
    expect(stdout).toContain('the crawl ended as done (finished)');
    expect(stdout).toMatch(/^kept as prj_/m);
  });
});

async function takeOne<T>(list: AsyncIterable<T>): Promise<T[]> {
  for await (const one of list) return [one];
  return [];
}
