import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { captureOptions, until } from '@tidemark/testkit';
import { appShell, article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

let servers: ScrapeServers;
let edition = 1;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    if (path.startsWith('/app/')) return void response.setHeader('content-type', 'text/html').end(appShell);
    const etag = `"edition ${edition}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response
      .setHeader('content-type', 'text/html')
      .setHeader('etag', etag)
      .end(
        article('The edition').replace(
          '</h1>',
          `</h1><p>This is the text of Edition ${edition}, as it was printed.</p>`,
        ),
      );
  });
}, 120_000);
afterAll(() => servers.close());

const kept = (maxAgeSeconds: number) => ({ options: captureOptions({ maxAgeSeconds }) });
const markdownOf = (bodies: Buffer | undefined): string => PageBodies.decode(bodies ?? Buffer.alloc(0)).markdown ?? '';

describe('page with max_age', () => {
  it('is returned from the archive, free, as cached, without a request to the site', async () => {
    const client = clientIn(servers);
    const first = await client.scrape('/fresh');
    servers.archive.earlier = first.page?.row;
    const before = servers.site.requestCount('/fresh');
    const { page, job } = await client.scrape('/fresh', kept(600));
    expect(page?.row).toMatchObject({ verdict: 'cached', errorCode: 'OK', credits: 0, httpStatus: 200 });
    expect(page?.row?.crawledAt).toEqual(first.page?.row?.crawledAt);
    expect(page?.row?.id).not.toBe(first.page?.row?.id);
    expect(job?.creditsUsed).toBe(0);
    expect(markdownOf(page?.bodies)).toBe(markdownOf(first.page?.bodies));
    expect(servers.site.requestCount('/fresh')).toBe(before);
    expect(servers.archive.requests.at(-1)?.workspaceId).toBe(client.workspaceId);
  });

  it('is searched by its capture options: other options have another key', async () => {
    const client = clientIn(servers);
    await client.scrape('/read', kept(600));
    await client.scrape('/read', { options: captureOptions({ maxAgeSeconds: 600, onlyMainContent: false }) });
    const [a, b] = servers.archive.requests.slice(-2);
    expect(a?.urlKey).toEqual(b?.urlKey);
    expect(a?.captureKey).not.toBe(b?.captureKey);
  });

  it('is revalidated if it is too old: a 304 returns the stored page and costs the request', async () => {
    const client = clientIn(servers);
    const first = await client.scrape('/stale');
    servers.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    const { page } = await client.scrape('/stale', kept(60));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 304, credits: 1, words: first.page?.row?.words });
    expect(page?.row?.signals).toContain('not modified');
    expect(markdownOf(page?.bodies)).toContain('Edition 1');
  });

  it('keeps the time of its first capture when it is unchanged again', async () => {
    const client = clientIn(servers);
    const first = await client.scrape('/steady');
    servers.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 7_200_000) } as never;
    const second = await client.scrape('/steady', kept(60));
    servers.archive.earlier = { ...second.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    const third = await client.scrape('/steady', kept(60));
    expect(second.page?.row?.reason).toMatch(/^unchanged since /);
    expect(third.page?.row).toMatchObject({
      httpStatus: 304,
      reason: second.page?.row?.reason,
      signals: second.page?.row?.signals,
    });
  });

  it('is captured again if it is too old and has changed', async () => {
    const client = clientIn(servers);
    const first = await client.scrape('/changed');
    servers.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    edition = 2;
    const { page } = await client.scrape('/changed', kept(60));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 200 });
    expect(markdownOf(page?.bodies)).toContain('Edition 2');
  });

  it('is fetched if the archive does not have it', async () => {
    servers.archive.earlier = undefined;
    const { page } = await clientIn(servers).scrape('/none', kept(600));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 200 });
  });
});

describe('folder whose pages need the browser', () => {
  it('starts in the browser after three such pages, with a signal', async () => {
    servers.browsers.render = () => ({ html: article('Rendered') });
    const client = clientIn(servers);
    for (const page of [1, 2, 3]) await client.scrape(`/app/${page}`);
    const { page } = await client.scrape('/app/4');
    expect(page?.row).toMatchObject({ verdict: 'ok', tier: 'browser', credits: 5 });
    expect(page?.row?.signals).toContain('host fingerprint');
    expect(servers.site.requestCount('/app/4')).toBe(0);
    const other = await client.scrape('/plain/1');
    expect(other.page?.row).toMatchObject({ tier: 'http' });
  });

  it('shares its fingerprint with every process, including later ones', async () => {
    const stored = () => servers.database.sql<{ streak: number }>('SELECT streak FROM scrape.host_fingerprints');
    await until('it is written', async () => (await stored()).length > 0);
    const other = await servers.replica();
    const client = clientIn(servers);
    const url = `${servers.site.origin}/app/elsewhere`;
    await until('the other process starts in the browser', async () => {
      const { page } = await client.scrapeAt(other, url);
      return page?.row?.signals.includes('host fingerprint');
    });
  });
});
