import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { spawnService, until } from '@tidemark/testkit';
import { clientIn, type MapServers, newKey, rowsOf, siteOf, startMapServers, urlset } from './map-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let pending: ServerResponse[] = [];
let servers: MapServers;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => ({ '/sitemap.xml': (_, response) => void pending.push(response) })),
    siteOf(() => ({})),
  );
}, 120_000);
afterAll(() => servers.close());

const respond = () => {
  for (const response of pending.splice(0)) response.end(urlset(servers.site.origin, ['/1', '/2']));
};
const siteRequested = () => until('the site to receive a request', () => pending.length > 0);
const expireLease = (id: string) =>
  servers.database.sql("UPDATE map.jobs SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);

describe('map job', () => {
  it('is finished by another instance after its process was killed, and charged once', async () => {
    const client = clientIn(servers);
    const doomed = await spawnService('map', MAIN, servers.serviceEnv);
    const request = {
      url: `${servers.site.origin}/`,
      options: { search: '', limit: 10, sitemapMode: 'auto' as const, allowSubdomains: false, forCrawl: false },

      waitMs: 50,
      idempotencyKey: 'k',
      requestHash: 'h',
    };
    const { job } = await doomed.peer.call(Rpc.map, request, client.caller);
    expect(job?.status).toBe('running');
    await siteRequested();
    await doomed.kill('SIGKILL');
    pending = [];
    await expireLease(job?.id ?? '');
    await siteRequested();
    respond();
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1, rows: 2 });
    expect(await client.spent()).toEqual({ credits: 1 });
    expect((await client.map({}, { idempotencyKey: 'k', requestHash: 'h' })).job).toMatchObject({ id: job?.id });
    await doomed.close();
  });

  it('is not finished by an instance that has lost its lease', async () => {
    const client = clientIn(servers);
    const { job } = await client.map({}, { waitMs: 50 });
    await siteRequested();
    await servers.database.sql(
      "UPDATE map.jobs SET owner = 'another', lease_until = now() + interval '1 hour' WHERE id = $1",
      [job?.id],
    );
    respond();
    await until(
      'the job to be running under its new owner',
      async () => (await client.job(job?.id ?? ''))?.status === 'running',
    );
    await expireLease(job?.id ?? '');
    await siteRequested();
    respond();
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1 });
  });

  it('ends with status error and free of charge after the last attempt was interrupted', async () => {
    const client = clientIn(servers);
    const { job } = await client.map({}, { waitMs: 50 });
    await siteRequested();
    await servers.database.sql(
      "UPDATE map.jobs SET owner = 'dead', attempts = 5, lease_until = now() - interval '1 second' WHERE id = $1",
      [job?.id],
    );
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'error', creditsUsed: 0 });
    respond();
    expect(await client.spent()).toEqual({ credits: 0 });
  });
});

describe('idempotency key', () => {
  it('creates one map from 20 concurrent requests at two instances', async () => {
    const client = clientIn(servers);
    const replica = await servers.replica();
    const request = {
      url: `${servers.site.origin}/`,
      options: { search: '', limit: 10, sitemapMode: 'auto' as const, allowSubdomains: false, forCrawl: false },

      waitMs: 20_000,
      idempotencyKey: newKey(),
      requestHash: 'h',
    };
    const calls = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? servers.service : replica).peer.call(Rpc.map, request, client.caller, { deadlineMs: 30_000 }),
    );
    await siteRequested();
    respond();
    const responses = await Promise.all(calls);
    expect(new Set(responses.map(({ job }) => job?.id)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(responses.map((response) => rowsOf(response).length))).toEqual(new Set([2]));
    expect(await client.spent()).toEqual({ credits: 1 });
  });

  it('causes a conflict if it is used with another body', async () => {
    const client = clientIn(servers);
    const idempotencyKey = newKey();
    const first = client.map({}, { idempotencyKey, requestHash: 'one' });
    await siteRequested();
    respond();
    await first;
    const second = client.map({}, { idempotencyKey, requestHash: 'two' });
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
  });
});
