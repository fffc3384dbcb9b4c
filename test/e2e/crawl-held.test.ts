import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { CrawlEnvelope } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
/** An address on the fleet's allow-list. */
const ADDRESS = '127.0.0.6';
let workspace: Workspace;
const sites: Server[] = [];
beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterEach(() => {
  for (const site of sites.splice(0)) site.close().closeAllConnections();
});
afterAll(() => fleet.close());

async function openSite(listener: RequestListener): Promise<string> {
  const site = createServer(listener);
  sites.push(site);
  await new Promise<void>((resolve) => site.listen(0, ADDRESS, resolve));
  return `http://${ADDRESS}:${(site.address() as AddressInfo).port}`;
}

const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
const page = (title: string, links: readonly string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${WORDS}</p>` +
  `${links.map((link) => `<a href="${link}">to ${link}</a>`).join(' ')}</main></body></html>`;

async function start(order: Readonly<Record<string, unknown>>): Promise<CrawlEnvelope> {
  const { status, body, text } = await workspace.writer.post('/crawl', { useSitemap: false, ...order });
  if (status !== 202) throw new Error(`expected a crawl, got ${status} ${text}`);
  return body as CrawlEnvelope;
}
const read = async (id: string): Promise<CrawlEnvelope> =>
  (await workspace.reader.get(`/crawl/${id}?formats=none&limit=1000`)).body as CrawlEnvelope;
const ended = (id: string, withinMs = 60_000): Promise<CrawlEnvelope> =>
  until(
    `crawl ${id} ends`,
    async () => {
      const crawl = await read(id);
      return crawl.status !== 'running' && crawl.status !== 'queued' && crawl;
    },
    { withinMs },
  );
const heldIn = (id: string): Promise<CrawlEnvelope['held']> =>
  until('a host is held', async () => {
    const { held } = await read(id);
    return held.length > 0 && held;
  });

describe('a crawl whose host sends Retry-After', () => {
  test('lists the host as held with time and reason, sends it no request until then, and loses no page', async () => {
    const links = Array.from({ length: 10 }, (_, i) => `/p${i}`);
    let closedUntilMs = 0;
    let tooSoon = 0;
    const origin = await openSite((request, response) => {
      const path = request.url ?? '/';
      if (path === '/robots.txt') return void response.writeHead(404).end();
      if (Date.now() < closedUntilMs) tooSoon += 1;
      if (path === '/p3' && closedUntilMs === 0) {
        closedUntilMs = Date.now() + 3_000;
        return void response.writeHead(429, { 'retry-after': '3' }).end('slow down');
      }
      response.setHeader('content-type', 'text/html').end(page(path, path === '/' ? links : []));
    });
    const { id } = await start({ url: `${origin}/`, concurrency: 1 });
    const events = workspace.reader.get(`/crawl/${id}/events`);
    const [held] = await heldIn(id);
    expect(held).toMatchObject({
      host: new URL(origin).host,
      why: 'it answered 429 with Retry-After: 3 s',
    });
    expect(Date.parse(held?.until ?? '')).toBeGreaterThan(closedUntilMs - 1_000);
    expect(Date.parse(held?.until ?? '')).toBeLessThan(closedUntilMs + 10_000);
    const crawl = await ended(id);
    expect(crawl).toMatchObject({ stop: 'finished', counts: { ok: 11 }, held: [] });
    expect(tooSoon).toBe(0);
    expect((await events).text).toContain('"why":"it answered 429 with Retry-After: 3 s"');
  });

  test('holds a host whose robots.txt returns a server error, and its pages wait', async () => {
    const requestedPaths: string[] = [];
    const origin = await openSite((request, response) => {
      requestedPaths.push(request.url ?? '');
      response.writeHead(503).end();
    });
    const { id } = await start({ url: `${origin}/` });
    const [held] = await heldIn(id);
    expect(held?.why).toContain('robots.txt answers 503');
    expect(requestedPaths.filter((path) => path !== '/robots.txt')).toEqual([]);
    expect(await read(id)).toMatchObject({ status: 'running', progress: { done: 0, total: 1 } });
    const { body } = await workspace.writer.delete(`/crawl/${id}`);
    expect(body).toMatchObject({ status: 'cancelled', held: [] });
  });
});

describe('a crawl with unreachable pages', () => {
  test('completes if another host is unavailable', async () => {
    const gone = await openSite(() => undefined);
    const origin = await openSite((request, response) => {
      if (request.url === '/robots.txt') return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/html').end(page(request.url ?? ''));
    });
    const other = sites.shift();
    other?.close();
    const url_list = [`${gone}/x`, ...Array.from({ length: 20 }, (_, i) => `${origin}/p${i}`)];
    const { id } = await start({ url: `${origin}/`, useSitemap: true, crawlMode: 'list_only', config: { url_list } });
    const crawl = await ended(id);
    expect(crawl).toMatchObject({ stop: 'finished', progress: { done: 21, total: 21, queued: 0 } });
    expect(crawl.counts).toEqual({ ok: 20, blocked: 1 });
    expect(crawl.data.find(({ url }) => url === `${gone}/x`)).toMatchObject({ errorCode: 'NETWORK', credits: 0 });
  });

  test('reports that its site is down if no server responds', async () => {
    const origin = await openSite(() => undefined);
    sites.shift()?.close();
    const { id } = await start({ url: `${origin}/` });
    expect(await ended(id)).toMatchObject({ stop: 'site_down', progress: { done: 1, total: 1 }, creditsUsed: 0 });
  });
});
