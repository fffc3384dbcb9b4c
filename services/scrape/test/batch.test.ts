import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScrapeServiceService as Rpc, StartBatchRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { callerIn, captureOptions, newWorkspace, until } from '@tidemark/testkit';
import { article, clientIn, newKey, openScrape, type ScrapeServers } from './scrape-servers.ts';

let servers: ScrapeServers;
/** Pending requests by path, answered by a test. */
const held = new Map<string, () => void>();
let inFlight = 0;
let mostInFlight = 0;
/** Requests per path of pages that answer 500 twice. */
const faulty = new Map<string, number>();
/** Limited requests that arrived before the time the site had given. */
const tooSoon: string[] = [];
let closedUntilMs = 0;

/** Returns whether a request is refused with a wait of a second: the first one. Records those that come before its end. */
function isLimited(path: string): boolean {
  if (Date.now() < closedUntilMs) tooSoon.push(path);
  if (!path.endsWith('first') || closedUntilMs !== 0) return false;
  closedUntilMs = Date.now() + 1_000;
  return true;
}

/** Returns whether a request fails: the first two of its page. */
function isFaulty(path: string): boolean {
  const count = (faulty.get(path) ?? 0) + 1;
  faulty.set(path, count);
  return count <= 2;
}

beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.on('close', () => {
      inFlight -= 1;
    });
    if (path.startsWith('/held')) return void held.set(path, () => response.end(article(path)));
    if (path.startsWith('/limited') && isLimited(path))
      return void response.writeHead(429, { 'retry-after': '1' }).end(article('Slow down', 20));
    if (path.startsWith('/faulty') && isFaulty(path)) return void response.writeHead(500).end('out of order');
    if (path.startsWith('/slow')) return void setTimeout(() => response.end(article(path)), 60);
    if (path.startsWith('/gone')) return void response.writeHead(404).end(article('Not found', 40));
    response.end(article(path));
  });
}, 120_000);
afterAll(() => servers.close());

function batchesIn(workspaceId = newWorkspace()) {
  const caller = callerIn(workspaceId);
  return {
    ...clientIn(servers, workspaceId),
    start: (paths: readonly string[], more: Partial<StartBatchRequest> = {}) => {
      const urls = paths.map((path) => new URL(path, servers.site.origin).href);
      const request = { urls, options: captureOptions(), concurrency: 4, delayMs: 0, ...more };
      return servers.service.peer.call(Rpc.startBatch, StartBatchRequest.fromPartial(request), caller);
    },
    pagesOf: async (id: string, after = 0, limit = 100, inInputOrder = false) =>
      (await servers.service.peer.call(Rpc.listEnded, { id, after, limit, inInputOrder }, caller)).pages,
  };
}

const compareIds = (a: { readonly pageId: string }, b: { readonly pageId: string }): number =>
  a.pageId < b.pageId ? -1 : 1;

describe('batch', () => {
  it('fetches a page that answers 500 again, as often as its retries allow', async () => {
    const batch = batchesIn();
    const starts = [
      batch.start(['/faulty/two'], { options: captureOptions({ retries: 2 }) }),
      batch.start(['/faulty/one'], { options: captureOptions({ retries: 1 }) }),
    ];
    const ids = (await Promise.all(starts)).map(({ job }) => job?.id ?? '');
    const [read, failed] = await Promise.all(ids.map((id) => batch.ended(id)));
    expect([read?.counts, failed?.counts]).toEqual([{ ok: 1 }, { blocked: 1 }]);
    expect(faulty).toEqual(
      new Map([
        ['/faulty/two', 3],
        ['/faulty/one', 2],
      ]),
    );
  });

  it('is accepted at once and completed, and every page is charged once', async () => {
    const batch = batchesIn();
    const { job, webhookSecret } = await batch.start(['/a', '/b', '/gone', '/private/x']);
    expect(job).toMatchObject({ kind: 'batch', status: expect.stringMatching(/queued|running/), total: 4 });
    expect(webhookSecret).toBeUndefined();
    const ended = await batch.ended(job?.id ?? '');
    expect(ended).toMatchObject({ status: 'done', done: 4, queued: 0, creditsUsed: 3 });
    expect(ended?.counts).toEqual({ ok: 2, blocked: 1, robots: 1 });
    const pages = await batch.pagesOf(job?.id ?? '');
    expect(pages.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    await until('every charge is published', () => pages.every(({ pageId }) => servers.billing.spent.has(pageId)));
    const charged = pages.map(({ pageId }) => servers.billing.spent.get(pageId)?.credits);
    expect(charged.reduce<number>((sum, credits = 0) => sum + credits, 0)).toBe(3);
  });

  it('fetches a duplicate URL once', async () => {
    const batch = batchesIn();
    const { job } = await batch.start(['/twice', '/twice', '/twice#fragment']);
    expect((await batch.ended(job?.id ?? ''))?.total).toBe(1);
    expect(servers.site.requestCount('/twice')).toBe(1);
  });

  it('counts duplicates, and lists its pages with the inputs they answer, in input order too', async () => {
    const batch = batchesIn();
    const { job } = await batch.start(['/order/a', '/order/b', '/order/a', '/order/c', '/order/b#top', '/order/a']);
    const id = job?.id ?? '';
    // A page may have ended before the response.
    expect(job?.counts).toMatchObject({ duplicates: 3 });
    expect(await batch.ended(id)).toMatchObject({ total: 3, counts: { ok: 3, duplicates: 3 } });
    const ordered = await batch.pagesOf(id, 0, 100, true);
    expect(ordered.map(({ number, inputs }) => [number, inputs])).toEqual([
      [1, [0, 2, 5]],
      [2, [1, 4]],
      [4, [3]],
    ]);
    expect((await batch.pagesOf(id, 2, 100, true)).map(({ number }) => number)).toEqual([4]);
    const byId = (pages: typeof ordered) => pages.map(({ pageId, inputs }) => ({ pageId, inputs })).sort(compareIds);
    expect(byId(await batch.pagesOf(id))).toEqual(byId(ordered));
  });

  it('lists pages in input order up to the first unfinished one while it runs', async () => {
    const batch = batchesIn();
    const { job } = await batch.start(['/early', '/held/middle', '/late'], { inputs: [0, 7, 9] });
    const id = job?.id ?? '';
    await until('two pages to end', async () => (await batch.pagesOf(id)).length === 2);
    expect((await batch.pagesOf(id, 0, 100, true)).map(({ inputs }) => inputs)).toEqual([[0]]);
    held.get('/held/middle')?.();
    await batch.ended(id);
    expect((await batch.pagesOf(id, 0, 100, true)).map(({ inputs }) => inputs)).toEqual([[0], [7], [9]]);
  });

  it('fetches a host with at most the agreed concurrency', async () => {
    mostInFlight = 0;
    const batch = batchesIn();
    const paths = Array.from({ length: 20 }, (_, i) => `/slow/${i}`);
    const { job } = await batch.start(paths, { concurrency: 3 });
    await batch.ended(job?.id ?? '');
    expect(mostInFlight).toBeLessThanOrEqual(3);
    expect(mostInFlight).toBeGreaterThan(1);
  });

  it('keeps a delay between starts', async () => {
    const batch = batchesIn();
    const startedAtMs = Date.now();
    const { job } = await batch.start(['/delay/1', '/delay/2', '/delay/3', '/delay/4'], { delayMs: 250 });
    await batch.ended(job?.id ?? '');
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(740);
  });

  it('holds the host when the site sends Retry-After, and loses no page', async () => {
    const batch = batchesIn();
    const { job } = await batch.start(['/limited/first', '/limited/2', '/limited/3', '/limited/4'], { concurrency: 1 });
    const ended = await batch.ended(job?.id ?? '');
    expect(ended?.counts).toEqual({ ok: 4 });
    expect(tooSoon).toEqual([]);
  });

  it('numbers its pages as they complete, so that a reader of the list sees each once', async () => {
    const batch = batchesIn();
    const paths = Array.from({ length: 30 }, (_, i) => `/slow/numbered/${i}`);
    const { job } = await batch.start(paths, { concurrency: 8 });
    const seen: string[] = [];
    let after = 0;
    await until('every page was seen', async () => {
      const pages = await batch.pagesOf(job?.id ?? '', after, 7);
      seen.push(...pages.map(({ pageId }) => pageId));
      after = pages.at(-1)?.number ?? after;
      return seen.length >= 30;
    });
    expect(new Set(seen).size).toBe(30);
  });

  it('ends a page without a capture after the processes that captured it ended five times in a row', async () => {
    const batch = batchesIn();
    const { job } = await batch.start(['/fine', '/held/poison']);
    const id = job?.id ?? '';
    await until('the page to be requested', () => held.has('/held/poison'));
    await servers.database.sql(
      `UPDATE scrape.batch_pages SET owner = 'dead', attempts = 5, lease_until = now() - interval '1 second'
       WHERE job_id = $1 AND status = 'running' AND url LIKE '%/held/poison'`,
      [id],
    );
    expect(await batch.ended(id, 60_000)).toMatchObject({ status: 'done', done: 2, counts: { ok: 1, blocked: 1 } });
    held.get('/held/poison')?.();
  }, 90_000);

  it('is created once per idempotency key, and refused with another body', async () => {
    const batch = batchesIn();
    const key = { idempotencyKey: newKey(), requestHash: 'one' };
    const first = await batch.start(['/key/1', '/key/2'], key);
    const again = await batch.start(['/key/1', '/key/2'], key);
    expect(again).toMatchObject({ replayed: true, job: { id: first.job?.id } });
    await expect(batch.start(['/key/3'], { ...key, requestHash: 'two' })).rejects.toMatchObject({ code: 'conflict' });
    await batch.ended(first.job?.id ?? '');
    expect(servers.site.requestCount('/key/1')).toBe(1);
  });

  it('is refused if the workspace cannot pay', async () => {
    const batch = batchesIn();
    servers.billing.setBalance(batch.workspaceId, 0);
    await expect(batch.start(['/poor'])).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('ends when credits run out, and reports the pages that lacked them', async () => {
    const batch = batchesIn();
    servers.billing.setBalance(batch.workspaceId, 5);
    const paths = Array.from({ length: 8 }, (_, i) => `/short/${i}`);
    const { job } = await batch.start(paths, { concurrency: 1, options: captureOptions({ maxTier: 'http' }) });
    expect(await batch.ended(job?.id ?? '')).toMatchObject({ status: 'done', done: 8, creditsUsed: 5 });
  });
});

describe('cancelled batch', () => {
  it('stops requests to the site within two seconds, keeps its completed pages, and charges no other', async () => {
    const batch = batchesIn();
    const paths = ['/slow/first', ...Array.from({ length: 20 }, (_, i) => `/held/cancel/${i}`)];
    const { job } = await batch.start(paths, { concurrency: 2 });
    await until('the first page to be done', async () => (await batch.job(job?.id ?? ''))?.done === 1);
    await until('two are under way', () => held.size >= 2);
    expect(await batch.cancel(job?.id ?? '')).toMatchObject({ status: 'cancelled', creditsUsed: 1 });
    await until('the abort of requests in progress', () => inFlight === 0);
    const before = servers.site.seen.length;
    const other = await batch.start(['/after-cancel']);
    await batch.ended(other.job?.id ?? '');
    expect(servers.site.seen.length).toBe(before + 1);
    held.clear();
    expect(await batch.job(job?.id ?? '')).toMatchObject({ status: 'cancelled', done: 1, queued: 0 });
  });
});
