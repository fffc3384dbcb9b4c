import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, until } from '@tidemark/testkit';
import { article, clientIn, newKey, openScrape, type ScrapeServers } from './scrape-servers.ts';

let held: ServerResponse[] = [];
let servers: ScrapeServers;
let replica: RunningService;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (request.url?.startsWith('/held')) held.push(response);
    else response.setHeader('content-type', 'text/html').end(article('Tides'));
  });
  replica = await servers.replica();
}, 120_000);
afterAll(() => servers.close());

const release = () => {
  for (const response of held) response.setHeader('content-type', 'text/html').end(article('Held'));
  held = [];
};

describe('idempotency key', () => {
  it('creates one job for fifty concurrent requests to two instances, fetched once, with equal responses', async () => {
    const client = clientIn(servers);
    const request = { idempotencyKey: newKey(), requestHash: 'h' };
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        client.scrapeAt(i % 2 === 0 ? servers.service : replica, `${servers.site.origin}/fifty`, request),
      ),
    );
    expect(new Set(responses.map(({ job }) => job?.id)).size).toBe(1);
    expect(new Set(responses.map(({ job }) => job?.status))).toEqual(new Set(['done']));
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(servers.site.requestCount('/fifty')).toBe(1);
    expect((await client.list()).jobs).toHaveLength(1);
    await until('all reservations are released', () =>
      [...servers.billing.leases.values()].every((lease) => lease.workspaceId !== client.workspaceId),
    );
  });

  it('returns the first result for a later request, marked as replayed', async () => {
    const client = clientIn(servers);
    const request = { idempotencyKey: newKey(), requestHash: 'h' };
    const first = await client.scrape('/again', request);
    const second = await client.scrape('/again', request);
    expect(second).toMatchObject({ replayed: true, job: { id: first.job?.id, status: 'done', creditsUsed: 1 } });
    expect(servers.site.requestCount('/again')).toBe(1);
  });

  it('returns the running job as long as the first response was the running job', async () => {
    const client = clientIn(servers);
    const request = { idempotencyKey: newKey(), requestHash: 'h', waitMs: 100 };
    const first = await client.scrape('/held/early', request);
    expect(first.job?.status).toBe('running');
    await until('the site received the request', () => held.length > 0);
    release();
    await client.ended(first.job?.id ?? '');
    const second = await client.scrape('/held/early', request);
    expect(second).toMatchObject({ replayed: true, job: { id: first.job?.id, status: 'running', creditsUsed: 0 } });
  });

  it('refuses another body with conflict and creates nothing', async () => {
    const client = clientIn(servers);
    const idempotencyKey = newKey();
    await client.scrape('/one', { idempotencyKey, requestHash: 'one' });
    await expect(client.scrape('/two', { idempotencyKey, requestHash: 'two' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(servers.site.requestCount('/two')).toBe(0);
  });

  it('is scoped to its workspace: the same key of another workspace creates another job', async () => {
    const request = { idempotencyKey: newKey(), requestHash: 'h' };
    const [one, two] = await Promise.all([
      clientIn(servers).scrape('/both', request),
      clientIn(servers).scrape('/both', request),
    ]);
    expect(one.job?.id).not.toBe(two.job?.id);
    expect([one.replayed, two.replayed]).toEqual([false, false]);
  });

  it('is not used up by a refused request', async () => {
    const client = clientIn(servers);
    const request = { idempotencyKey: newKey(), requestHash: 'h' };
    servers.billing.setBalance(client.workspaceId, 0);
    await expect(client.scrape('/refused', request)).rejects.toMatchObject({ code: 'credits_exhausted' });
    servers.billing.setBalance(client.workspaceId, 10);
    expect(await client.scrape('/refused', request)).toMatchObject({ replayed: false, job: { status: 'done' } });
  });

  it('returns the same response after a restart', async () => {
    const client = clientIn(servers);
    const request = { idempotencyKey: newKey(), requestHash: 'h' };
    const first = await client.scrape('/restart', request);
    await servers.service.close();
    servers.service = await servers.replica();
    expect(await client.scrape('/restart', request)).toMatchObject({ replayed: true, job: { id: first.job?.id } });
  });
});
