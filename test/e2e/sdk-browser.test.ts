import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { openBrowser, type TestBrowser } from '../accounts/browser.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const ENTRY = join(import.meta.dirname, '../../packages/sdk/src/index.ts');
const fleet = sharedFleet();
let site: HarbourSite;
let chromium: TestBrowser;
let apiKey = '';
/** Serves the bundle from another origin than the API. */
const pages = createServer(async (request, response) => {
  const type = request.url?.endsWith('.js') === true ? 'text/javascript' : 'text/html';
  response.setHeader('content-type', type).end(scripts.get(request.url ?? '') ?? '<!doctype html><title>SDK</title>');
});
const scripts = new Map<string, string>();
let origin = '';

/** Captures a page, follows a crawl by its events, and resumes the events after the first page. */
const USE = `
export async function use({ apiKey, baseUrl, site }) {
  const client = new Tidemark({ apiKey, baseUrl });
  const { verdict } = await client.scrape(site + '/prices', { formats: ['markdown'] });
  const crawl = await client.crawl.start(site + '/');
  const { status } = await crawl.wait();
  const ids = [];
  for await (const event of crawl.events()) if (event.event === 'page') ids.push(event.id);
  const resumed = [];
  for await (const event of crawl.events({ after: ids[0] })) if (event.event === 'page') resumed.push(event.id);
  const refused = await client.call('GET /projects/{id}', { path: { id: 'prj_01j5xq2w8se6fa7t0a6q1n3k2m' } }).catch(({ code, requestId }) => [code, typeof requestId]);
  return { verdict, status, pages: ids.length, resumed: resumed.length, refused };
}`;
const WORKER = `
import { use } from '/use.js';
onmessage = ({ data }) => use(data).then((result) => postMessage(result), (error) => postMessage(String(error)));`;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],

    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  scripts.set('/use.js', `${outputFiles[0]?.text ?? ''}${USE}`).set('/worker.js', WORKER);
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const bound = pages.address();
  origin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  site = await startHarbour('127.0.0.5');
  apiKey = (await fleet.workspaces.make()).admin.key;
  chromium = await openBrowser();
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  site?.close();
  pages.closeAllConnections();
  pages.close();
  await fleet.close();
});

const EXPECTED = { verdict: 'ok', status: 'done', pages: 5, resumed: 4, refused: ['not_found', 'string'] };

describe('the SDK in a browser', () => {
  test.each([
    ['a page of another origin', (given: string) => `import('/use.js').then(({ use }) => use(${given}))`],
    [
      'a worker',
      (given: string) =>
        `new Promise((resolve) => { const worker = new Worker('/worker.js', { type: 'module' }); worker.onmessage = ({ data }) => resolve(data); worker.postMessage(${given}); })`,
    ],
  ])('captures, follows events, resumes them and reads errors in %s', async (_, program) => {
    const { page, context } = await chromium.open();
    await page.goto(`${origin}/`);
    const given = JSON.stringify({ apiKey, baseUrl: `${fleet.url}/v1`, site: site.origin });
    expect(await page.evaluate(program(given))).toEqual(EXPECTED);
    await context.close();
  });
});
