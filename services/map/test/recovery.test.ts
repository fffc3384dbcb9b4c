import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { spawnService, until } from '@tidemark/testkit';
import { clientIn, type MapGround, newKey, openMap, rowsOf, siteOf, urlset } from './map-ground.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let held: ServerResponse[] = [];
let ground: MapGround;
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => ({ '/sitemap.xml': (_, response) => void held.push(response) })),
    siteOf(() => ({})),
  );
}, 120_000);
afterAll(() => ground.close());

const release = () => {
  for (const response of held.splice(0)) response.end(urlset(ground.site.origin, ['/1', '/2']));
};
const asked = () => until('the site to be asked', () => held.length > 0);
const silence = (id: string) =>
  ground.database.sql("UPDATE map.jobs SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);

describe('a map', () => {
  it('whose process is killed is finished by another, and charged once', async () => {
    const client = clientIn(ground);
    const doomed = await spawnService('map', MAIN, ground.serviceEnv);
    const request = {
      url: `${ground.site.origin}/`,
      options: { search: '', limit: 10, sitemapMode: 'auto', allowSubdomains: false, forCrawl: false },
      ...{ waitMs: 50, idempotencyKey: 'k', requestHash: 'h' },
    };
    const { job } = await doomed.peer.call(Rpc.map, request, client.caller);
    expect(job?.status).toBe('running');
    await asked();
    await doomed.kill('SIGKILL');
    held = [];
    await silence(job?.id ?? '');
    await asked();
    release();
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1, rows: 2 });
    expect(await client.spent()).toEqual({ credits: 1 });
    expect((await client.map({}, { idempotencyKey: 'k', requestHash: 'h' })).job).toMatchObject({ id: job?.id });
    await doomed.close();
  }, 60_000);

  it('that was taken from its owner is not ended by it', async () => {
    const client = clientIn(ground);
    const { job } = await client.map({}, { waitMs: 50 });
    await asked();
    await ground.database.sql(
      "UPDATE map.jobs SET owner = 'another', lease_until = now() + interval '1 hour' WHERE id = $1",
      [job?.id],
    );
    release();
    await until('the old owner to have let go', async () => (await client.job(job?.id ?? ''))?.status === 'running');
    await silence(job?.id ?? '');
    await asked();
    release();
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'done', creditsUsed: 1 });
  });

  it('that every process has failed at ends in error, uncharged', async () => {
    const client = clientIn(ground);
    const { job } = await client.map({}, { waitMs: 50 });
    await asked();
    await ground.database.sql(
      "UPDATE map.jobs SET owner = 'dead', attempts = 5, lease_until = now() - interval '1 second' WHERE id = $1",
      [job?.id],
    );
    expect(await client.ended(job?.id ?? '')).toMatchObject({ status: 'error', creditsUsed: 0 });
    release();
    expect(await client.spent()).toEqual({ credits: 0 });
  });
});

describe('an idempotency key', () => {
  it('makes one map of twenty requests at once at two instances', async () => {
    const client = clientIn(ground);
    const replica = await ground.replica();
    const order = {
      url: `${ground.site.origin}/`,
      options: { search: '', limit: 10, sitemapMode: 'auto', allowSubdomains: false, forCrawl: false },
      ...{ waitMs: 20_000, idempotencyKey: newKey(), requestHash: 'h' },
    };
    const answers = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? ground.service : replica).peer.call(Rpc.map, order, client.caller, { deadlineMs: 30_000 }),
    );
    await asked();
    release();
    const jobs = await Promise.all(answers);
    expect(new Set(jobs.map(({ job }) => job?.id)).size).toBe(1);
    expect(jobs.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(jobs.map((answer) => rowsOf(answer).length))).toEqual(new Set([2]));
    expect(await client.spent()).toEqual({ credits: 1 });
  });

  it('with another body is a conflict', async () => {
    const client = clientIn(ground);
    const idempotencyKey = newKey();
    const first = client.map({}, { idempotencyKey, requestHash: 'one' });
    await asked();
    release();
    await first;
    const second = client.map({}, { idempotencyKey, requestHash: 'two' });
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
  });
});
