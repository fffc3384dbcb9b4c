import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { captureOptions, until } from '@tidemark/testkit';
import { appShell, article, clientIn, openScrape, type ScrapeGround } from './scrape-ground.ts';

let ground: ScrapeGround;
let edition = 1;
beforeAll(async () => {
  ground = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    if (path.startsWith('/app/')) return void response.setHeader('content-type', 'text/html').end(appShell);
    const etag = `"edition ${edition}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response
      .setHeader('content-type', 'text/html')
      .setHeader('etag', etag)
      .end(article(`Edition ${edition}`));
  });
}, 120_000);
afterAll(() => ground.close());

const kept = (maxAgeSeconds: number) => ({ options: captureOptions({ maxAgeSeconds }) });
const markdownOf = (bodies: Buffer | undefined): string => PageBodies.decode(bodies ?? Buffer.alloc(0)).markdown ?? '';

describe('a page that may be as old as it is', () => {
  it('is answered from the archive, free, as cached, and the site is not asked', async () => {
    const client = clientIn(ground);
    const first = await client.scrape('/fresh');
    ground.archive.earlier = first.page?.row;
    const asked = ground.site.timesAsked('/fresh');
    const { page, job } = await client.scrape('/fresh', kept(600));
    expect(page?.row).toMatchObject({ verdict: 'cached', errorCode: 'OK', credits: 0, httpStatus: 200 });
    expect(page?.row?.crawledAt).toEqual(first.page?.row?.crawledAt);
    expect(page?.row?.id).not.toBe(first.page?.row?.id);
    expect(job?.creditsUsed).toBe(0);
    expect(markdownOf(page?.bodies)).toBe(markdownOf(first.page?.bodies));
    expect(ground.site.timesAsked('/fresh')).toBe(asked);
    expect(ground.archive.asked.at(-1)?.workspaceId).toBe(client.workspaceId);
  });

  it('is looked for under how it is to be read: another way of reading has another name', async () => {
    const client = clientIn(ground);
    await client.scrape('/read', kept(600));
    await client.scrape('/read', { options: captureOptions({ maxAgeSeconds: 600, onlyMainContent: false }) });
    const [a, b] = ground.archive.asked.slice(-2);
    expect(a?.urlKey).toEqual(b?.urlKey);
    expect(a?.captureKey).not.toBe(b?.captureKey);
  });

  it('that is too old is asked for only where it has changed: a 304 brings the stored page and costs the request', async () => {
    const client = clientIn(ground);
    const first = await client.scrape('/stale');
    ground.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    const { page } = await client.scrape('/stale', kept(60));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 304, credits: 1, words: first.page?.row?.words });
    expect(page?.row?.signals).toContain('not modified');
    expect(markdownOf(page?.bodies)).toContain('Edition 1');
  });

  it('that is unchanged for the second time is unchanged since it was first read', async () => {
    const client = clientIn(ground);
    const first = await client.scrape('/steady');
    ground.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 7_200_000) } as never;
    const second = await client.scrape('/steady', kept(60));
    ground.archive.earlier = { ...second.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    const third = await client.scrape('/steady', kept(60));
    expect(second.page?.row?.reason).toMatch(/^unchanged since /);
    expect(third.page?.row).toMatchObject({
      httpStatus: 304,
      reason: second.page?.row?.reason,
      signals: second.page?.row?.signals,
    });
  });

  it('that is too old and has changed is read anew', async () => {
    const client = clientIn(ground);
    const first = await client.scrape('/changed');
    ground.archive.earlier = { ...first.page?.row, crawledAt: new Date(Date.now() - 3_600_000) } as never;
    edition = 2;
    const { page } = await client.scrape('/changed', kept(60));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 200 });
    expect(markdownOf(page?.bodies)).toContain('Edition 2');
  });

  it('is fetched where the archive has none', async () => {
    ground.archive.earlier = undefined;
    const { page } = await clientIn(ground).scrape('/none', kept(600));
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 200 });
  });
});

describe('a folder whose pages need the browser', () => {
  it('is remembered after three of them: the next begins there, and says so', async () => {
    ground.browsers.render = () => ({ html: article('Rendered') });
    const client = clientIn(ground);
    for (const page of [1, 2, 3]) await client.scrape(`/app/${page}`);
    const { page } = await client.scrape('/app/4');
    expect(page?.row).toMatchObject({ verdict: 'ok', tier: 'browser', credits: 5 });
    expect(page?.row?.signals).toContain('host fingerprint');
    expect(ground.site.timesAsked('/app/4')).toBe(0);
    const other = await client.scrape('/plain/1');
    expect(other.page?.row).toMatchObject({ tier: 'http' });
  });

  it('is known to every process, and to the next one', async () => {
    const stored = () => ground.database.sql<{ streak: number }>('SELECT streak FROM scrape.host_fingerprints');
    await until('it is written', async () => (await stored()).length > 0);
    const other = await ground.replica();
    const client = clientIn(ground);
    const url = `${ground.site.origin}/app/elsewhere`;
    await until('the other process begins on the browser', async () => {
      const { page } = await client.scrapeAt(other, url);
      return page?.row?.signals.includes('host fingerprint');
    });
  });
});
