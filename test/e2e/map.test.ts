import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MapEnvelope } from '@tidemark/api';
import { type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { HOSTS } from '../web/server.ts';

const fleet = sharedFleet();
let workspace: Workspace;
let origin = '';
/** Responses that are held until they are released. */
let held: (() => void)[] | undefined;

const urlset = (from: number, to: number): string =>
  `<urlset>${Array.from({ length: to - from }, (_, i) => `<url><loc>${origin}/p/${from + i}</loc><lastmod>2026-01-02</lastmod><changefreq>weekly</changefreq></url>`).join('')}</urlset>`;

const pages: Readonly<Record<string, () => string>> = {
  '/robots.txt': () => `User-agent: *\nCrawl-delay: 0\nSitemap: ${origin}/sitemap.xml\n`,
  '/sitemap.xml': () =>
    `<sitemapindex>${['/one.xml', '/two.xml', '/no.xml'].map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`).join('')}</sitemapindex>`,
  '/one.xml': () => urlset(0, 1_500),
  '/two.xml': () => urlset(1_400, 2_500),
};

function respond({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const page = pages[url];
  const send = () => (page === undefined ? response.writeHead(403).end() : response.end(page()));
  if (held !== undefined && url === '/two.xml') held.push(send);
  else send();
}

const site = createServer(respond);
beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  await new Promise<void>((done) => site.listen(0, HOSTS.open, done));
  const bound = site.address();
  origin = `http://${HOSTS.open}:${typeof bound === 'object' ? bound?.port : ''}`;
});
afterAll(async () => {
  site.close();
  site.closeAllConnections();
  await fleet.close();
});

const mapOf = ({ body }: ApiResponse): MapEnvelope => MapEnvelope.parse(body);
const post = (body: Readonly<Record<string, unknown>>, headers = {}) =>
  workspace.writer.post('/map', { url: `${origin}/`, ...body }, headers);

/** Returns every row of a map by following `next`. */
async function allRows(id: string, limit: number): Promise<MapEnvelope['data']> {
  const rows: MapEnvelope['data'] = [];
  for (let next: string | null = `/map/${id}?limit=${limit}`; next !== null; ) {
    const page: MapEnvelope = mapOf(await workspace.reader.get(next));
    rows.push(...page.data);
    next = page.next?.replace(`${fleet.url}/v1`, '') ?? null;
  }
  return rows;
}

describe('POST /map', () => {
  test('returns 200 with the rows, the sitemap files and the price of the files read', async () => {
    const got = await post({});
    expect(got.status).toBe(200);
    expect(got.headers.get('x-service-credits')).toBe('3');
    const map = mapOf(got);
    expect(map).toMatchObject({ kind: 'map', status: 'done', method: 'sitemap', creditsUsed: 3, next: null });
    expect(map.totals).toEqual({ files: 3, urls: 2_500, indexes: 1, blocked: 1 });
    expect(map.robots).toMatchObject({ found: true, allowed: true, sitemaps: [`${origin}/sitemap.xml`] });
    expect(map.data).toHaveLength(2_500);
    expect(map.data[0]).toEqual({
      url: `${origin}/p/0`,
      lastmod: '2026-01-02',
      changefreq: 'weekly',
      source: 'sitemap',
      file: `${origin}/one.xml`,
      section: '/p/',
    });
    expect(map.files.map(({ verdict, status }) => [verdict, status])).toEqual([
      ['read', 200],
      ['read', 200],
      ['read', 200],
      ['blocked', 403],
    ]);
    await until('the files to be charged', async () => (await workspace.reader.credits()).usedThisMonth >= 3);
    expect((await workspace.reader.credits()).reserved).toBe(0);
  });

  test('applies `search` and `limit` to the rows, not to the counts', async () => {
    const map = mapOf(await post({ search: '/P/12', limit: 20 }));
    expect(map.data).toHaveLength(20);
    expect(map.data.every(({ url }) => url.includes('/p/12'))).toBe(true);
    expect(map.totals.urls).toBe(2_500);
  });

  test('returns 202 if the sitemaps take longer than `timeout`, and the whole map is listed in pages later', async () => {
    held = [];
    const got = await post({ timeout: 1 });
    expect(got.status).toBe(202);
    const { id, status, data } = mapOf(got);
    expect([status, data]).toEqual(['running', []]);
    expect(got.headers.get('location')).toBe(`${fleet.url}/v1/map/${id}`);
    for (const send of held) send();
    held = undefined;
    await until('the map to be done', async () => mapOf(await workspace.reader.get(`/map/${id}`)).status === 'done');
    const rows = await allRows(id, 700);
    expect(rows.map(({ url }) => url)).toEqual(Array.from({ length: 2_500 }, (_, i) => `${origin}/p/${i}`));
  });

  test('returns the same for the same Idempotency-Key and reads the site once', async () => {
    const headers = { 'idempotency-key': 'map-once' };
    const [one, two] = [await post({ limit: 3 }, headers), await post({ limit: 3 }, headers)];
    expect(mapOf(two)).toEqual(mapOf(one));
    expect(two.headers.get('idempotent-replayed')).toBe('true');
    expect(errorOf(await post({ limit: 4 }, headers))).toMatchObject({ status: 409, code: 'conflict' });
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 50_001 }, 'limit'],
    [{ timeout: 61 }, 'timeout'],
    [{ sitemapMode: 'all' }, 'sitemapMode'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ search: 'x'.repeat(501) }, 'search'],
    [{ url: 'http://127.0.0.1/' }, 'url'],
  ])('rejects %j with 422 and names %s', async (body, field) => {
    expect(errorOf(await post(body))).toMatchObject({ status: 422, code: 'validation', fields: [field] });
  });

  test('rejects an invalid cursor with 422', async () => {
    const { id } = mapOf(await post({ limit: 1 }));
    expect(errorOf(await workspace.reader.get(`/map/${id}?cursor=abc`))).toMatchObject({
      status: 422,
      fields: ['cursor'],
    });
  });
});
