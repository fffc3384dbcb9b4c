import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toUuid } from '@tidemark/firecrawl';
import { type GatewayWithFakes, RUN_ID, startGatewayWithFakes } from './gateway-with-fakes.ts';

let gateway: GatewayWithFakes;
beforeAll(async () => {
  gateway = await startGatewayWithFakes();
  gateway.secrets.add('one');
});
afterAll(() => gateway.close());

const firecrawlUrl = () => gateway.url.replace(/\/v1$/, '/firecrawl');

async function send(path: string, { key = 'one', ...init }: RequestInit & { readonly key?: string } = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${firecrawlUrl()}${path}`, { ...init, headers });
  return { status: response.status, body: await response.json() };
}

describe('the interface of Firecrawl', () => {
  it('states that a crawl is in progress, with no following page to be read at once', async () => {
    const { status, body } = await send(`/v2/crawl/${RUN_ID}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, status: 'scraping', completed: 0, total: 1, next: null, data: [] });
  });

  it('accepts the id of a crawl as a UUID too, whose bits are the same', async () => {
    const { status, body } = await send(`/v2/crawl/${toUuid(RUN_ID)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'scraping' });
  });

  it('refuses a query parameter that a route does not have by its name', async () => {
    const { status, body } = await send(`/v2/crawl/${RUN_ID}?skip=10`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'UNSUPPORTED_OPTION', error: expect.stringContaining('skip') });
  });

  it('leaves the following page out at the end in v1, whose client reads it while it is present', async () => {
    expect((await send(`/v1/crawl/${RUN_ID}`)).body).not.toHaveProperty('next');
  });

  it('refuses a key that is not valid in its own envelope', async () => {
    const { status, body } = await send(`/v2/crawl/${RUN_ID}`, { key: 'unknown' });
    expect(status).toBe(401);
    expect(body).toMatchObject({ success: false, code: 'UNAUTHORIZED' });
  });

  it('requires the scope of the route that it calls', async () => {
    const { status, body } = await send('/v2/scrape', {
      method: 'POST',
      body: JSON.stringify({ url: 'https://example.com/' }),
    });
    expect(status).toBe(403);
    expect(body).toMatchObject({ success: false, code: 'SCOPES' });
  });

  it('answers 503 with the seconds to wait while a service is unavailable', async () => {
    const path = `/v2/batch/scrape/${toUuid(RUN_ID)}`;
    const response = await fetch(`${firecrawlUrl()}${path}`, { headers: { authorization: 'Bearer one' } });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
  });

  it('states what there is instead of a part that it lacks, and answers 404 for an unknown path', async () => {
    const search = await send('/v2/search', { method: 'POST', body: '{}' });
    expect(search.status).toBe(501);
    expect(search.body).toMatchObject({ success: false, code: 'NOT_AVAILABLE' });
    expect((await send('/v2/nowhere')).status).toBe(404);
  });

  it('accepts the WebSocket of the watcher with its protocol and closes it normally', async () => {
    const socket = new WebSocket(`${firecrawlUrl().replace(/^http/, 'ws')}/v2/crawl/${RUN_ID}`, 'service_key');
    const code = await new Promise((resolve, reject) => {
      socket.addEventListener('close', (event) => resolve(event.code));
      socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
    });
    expect(code).toBe(1_000);
    expect(socket.protocol).toBe('service_key');
  });

  it('answers a request that offers HTTP/2 as if it had no offer', async () => {
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n');
    const [head] = await new Promise<string[]>((resolve, reject) => {
      socket.once('data', (bytes) => resolve(bytes.toString().split('\r\n')));
      socket.once('error', reject);
    });
    socket.destroy();
    expect(head).toBe('HTTP/1.1 200 OK');
  });
});
