import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { captureOptions, newWorkspace, until } from '@tidemark/testkit';
import { appShell, article, clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

/** Pending responses by path, sent by a test. */
const held = new Map<string, ServerResponse[]>();
function release(path: string, body: string): void {
  for (const response of held.get(path) ?? []) response.end(body);
  held.delete(path);
}

let servers: ScrapeServers;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') {
      response.end('User-agent: *\nDisallow: /private');
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path.startsWith('/held')) held.set(path, [...(held.get(path) ?? []), response]);
    else if (path === '/app') response.end(appShell);
    else if (path === '/moved') response.writeHead(301, { location: '/landed' }).end();
    else if (path === '/gone') response.writeHead(404).end(article('Not found', 40));
    else response.end(article('Tides'));
  });
}, 120_000);
afterAll(() => servers.close());

const charged = (captureId: string) => until('the charge is published', () => servers.billing.spent.get(captureId));

describe('scrape', () => {
  it('returns the completed job and the page, charges it once and releases the reservation', async () => {
    const client = clientIn(servers);
    const { job, page, replayed } = await client.scrape('/a');
    expect(job).toMatchObject({ status: 'done', done: 1, total: 1, creditsUsed: 1, error: undefined });
    expect(page?.row).toMatchObject({ verdict: 'ok', errorCode: 'OK', httpStatus: 200, tier: 'http', credits: 1 });
    expect(page?.row?.title).toBe('Tides');
    expect(PageBodies.decode(page?.bodies ?? Buffer.alloc(0)).markdown).not.toBe('');
    expect(replayed).toBe(false);
    const { capture_id } = (await servers.rowOf(job?.id ?? '')) ?? { capture_id: '' };
    expect(await charged(capture_id)).toMatchObject({ credits: 1, pages: 1, workspaceId: client.workspaceId });
    await until('the lease is closed', () => !servers.billing.leases.has(capture_id));
  });

  it('stores the bodies before the job is done', async () => {
    const { page } = await clientIn(servers).scrape('/kept');
    const blobs = openBlobs(servers.serviceEnv['BLOB_URL'] ?? '');
    expect(await blobs.get(page?.row?.content?.sha256 ?? '')).toEqual(page?.bodies);
  });

  it('returns the final URL and the redirects', async () => {
    const { page } = await clientIn(servers).scrape('/moved');
    expect(page?.row?.url).toBe(`${servers.site.origin}/landed`);
    expect(page?.row?.askedUrl).toBe(`${servers.site.origin}/moved`);
    expect(page?.row?.redirects).toHaveLength(1);
  });

  it('charges for the content of a 404', async () => {
    const { page } = await clientIn(servers).scrape('/gone');
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'NOT_FOUND', httpStatus: 404, credits: 1 });
  });

  it('returns the running job after the wait, and the page completes later', async () => {
    const client = clientIn(servers);
    const { job, page } = await client.scrape('/held/slow', { waitMs: 200 });
    expect(job?.status).toBe('running');
    expect(page).toBeUndefined();
    await until('the site received a request', () => held.has('/held/slow'));
    release('/held/slow', article('At last'));
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1 });
  });

  it('ends with a TIMEOUT row free of charge if the site never answers', async () => {
    const { job, page } = await clientIn(servers).scrape('/held/never', {
      options: captureOptions({ timeoutSeconds: 1 }),
    });
    expect(job).toMatchObject({ status: 'done', creditsUsed: 0 });
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'TIMEOUT', httpStatus: 0, credits: 0 });
    held.delete('/held/never');
  });

  it.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/'])(
    'of %s is refused before credits are reserved',
    async (url) => {
      const client = clientIn(servers);
      await expect(client.scrapeAt(servers.service, url)).rejects.toMatchObject({
        code: 'validation',
        detail: [expect.objectContaining({ loc: ['body', 'url'] })],
      });
      expect([...servers.billing.leases.values()].filter((l) => l.workspaceId === client.workspaceId)).toEqual([]);
    },
  );
});

describe('job', () => {
  it('is visible and cancellable only in its own workspace', async () => {
    const { job } = await clientIn(servers).scrape('/mine');
    const stranger = clientIn(servers, newWorkspace());
    await expect(stranger.job(job?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.cancel(job?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await stranger.list()).jobs).toEqual([]);
  });

  it('is listed once, newest first, with any page size', async () => {
    const client = clientIn(servers);
    const made: (string | undefined)[] = [];
    for (let i = 0; i < 5; i += 1) made.unshift((await client.scrape(`/list/${i}`)).job?.id);
    for (const limit of [1, 2, 5]) {
      const seen: string[] = [];
      for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
        const response = await client.list(cursor, limit);
        seen.push(...response.jobs.map((job) => job.id));
        cursor = response.nextCursor;
      }
      expect(seen).toEqual(made);
    }
  });

  it('is never done once cancelled, whatever completes later, and its credits are released', async () => {
    const client = clientIn(servers);
    const { job } = await client.scrape('/held/cancelled', { waitMs: 100 });
    const id = job?.id ?? '';
    await until('the site received a request', () => held.has('/held/cancelled'));
    const capture = (await servers.rowOf(id))?.capture_id ?? '';
    expect(servers.billing.leases.has(capture)).toBe(true);
    expect(await client.cancel(id)).toMatchObject({ status: 'cancelled', creditsUsed: 0 });
    release('/held/cancelled', article('Too late'));
    expect(await charged(capture)).toMatchObject({ credits: 0 });
    expect(servers.billing.leases.has(capture)).toBe(false);
    await client.scrape('/after'); // wait for the running capture to complete
    expect(await client.job(id)).toMatchObject({ status: 'cancelled', creditsUsed: 0 });
  });

  it('is reported as cancelled to a waiting client', async () => {
    const client = clientIn(servers);
    const waiting = client.scrape('/held/watched');
    await until('the site received a request', () => held.has('/held/watched'));
    // The page is requested while the job's row is being written.
    const running = await until('the job is there', async () => (await client.list()).jobs[0]);
    await client.cancel(running?.id ?? '');
    expect((await waiting).job).toMatchObject({ id: running?.id, status: 'cancelled' });
    held.delete('/held/watched');
  });

  it('is not changed by a cancellation after its end', async () => {
    const client = clientIn(servers);
    const { job } = await client.scrape('/done');
    expect(await client.cancel(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1 });
  });
});

describe('robots.txt', () => {
  it('ends a job with a robots row, unfetched and free, if it disallows the page', async () => {
    const { job, page } = await clientIn(servers).scrape('/private/page');
    expect(page?.row).toMatchObject({ verdict: 'robots', credits: 0, signals: ['robots.txt'] });
    expect(page?.row?.reason).toMatch(/disallows it for \S+ in line 2/);
    expect(job?.creditsUsed).toBe(0);
    expect(servers.site.requestCount('/private/page')).toBe(0);
  });

  it('is not fetched if the request opts out', async () => {
    const { page } = await clientIn(servers).scrape('/private/page', {
      options: captureOptions({ respectRobots: false }),
    });
    expect(page?.row).toMatchObject({ verdict: 'ok' });
  });
});

describe('ladder', () => {
  it("reads an app shell in the browser and charges the browser's price", async () => {
    servers.browsers.render = () => ({ html: article('Rendered') });
    const { page } = await clientIn(servers).scrape('/app');
    expect(page?.row).toMatchObject({ verdict: 'ok', tier: 'browser', credits: 5 });
    expect(page?.row?.title).toBe('Rendered');
  });

  it('renders a page that answers 500 again, as often as its retries allow', async () => {
    const statuses = [500, 502];
    servers.browsers.render = () => ({ html: article('Rendered'), status: statuses.shift() ?? 200 });
    const options = captureOptions({ renderJs: 'always', retries: 2 });
    const { page } = await clientIn(servers).scrape('/app', { options });
    expect(page?.row).toMatchObject({ verdict: 'ok', httpStatus: 200, warnings: ['retried 2 times'] });
  });

  it('stops at the tier limit of the request, reports it, and is free', async () => {
    const { page } = await clientIn(servers).scrape('/app', { options: captureOptions({ maxTier: 'http' }) });
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'TIER_LIMIT', climbedTo: 'http', credits: 0 });
  });

  it("stops if the page's budget cannot pay the browser, reports it, and is free", async () => {
    const { page } = await clientIn(servers).scrape('/app', { options: captureOptions({ maxCredits: 4 }) });
    expect(page?.row).toMatchObject({
      verdict: 'blocked',
      errorCode: 'BUDGET_EXHAUSTED',
      climbedTo: 'http',
      credits: 0,
    });
  });

  it("stops if the workspace's last credits cannot pay the browser", async () => {
    const client = clientIn(servers);
    servers.billing.setBalance(client.workspaceId, 2);
    const { page } = await client.scrape('/app');
    expect(page?.row).toMatchObject({ errorCode: 'BUDGET_EXHAUSTED', credits: 0 });
  });

  it('refuses a budget below the cheapest engine that the request allows, by name', async () => {
    const options = captureOptions({ maxCredits: 4, renderJs: 'always' });
    await expect(clientIn(servers).scrape('/app', { options })).rejects.toMatchObject({
      code: 'validation',
      httpStatus: 400,
      message: expect.stringMatching(/maxCredits is 4.*costs 5/),
    });
  });
});

describe('workspace without credits', () => {
  it('is refused before anything is queued or fetched', async () => {
    const client = clientIn(servers);
    servers.billing.setBalance(client.workspaceId, 0);
    await expect(client.scrape('/broke')).rejects.toMatchObject({ code: 'credits_exhausted', httpStatus: 402 });
    expect((await client.list()).jobs).toEqual([]);
    expect(servers.site.requestCount('/broke')).toBe(0);
  });
});
