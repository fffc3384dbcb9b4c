import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ReportExitRequest, ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { startRedis, type TestRedis, until } from '@tidemark/testkit';
import { startTestPool, type TestPool } from './test-pool.ts';

const CALL = { requestId: 'req_test' };
const EXITS = 'one=http://tide:mark@127.0.0.1:9;country=DE,two=http://127.0.0.1:9;country=FR';

let redis: TestRedis;
const opened: TestPool[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool.close();
});
afterAll(() => redis?.close());

/** Starts an instance of browser-pool. Exit names are unique per test, since suites may share one Redis. */
async function instance(exits: string, redisUrl = redis.url): Promise<TestPool> {
  const pool = await startTestPool([], {
    TIDEMARK_EXITS: exits,
    ...(redisUrl === '' ? {} : { REDIS_URL: redisUrl }),
  });
  opened.push(pool);
  return pool;
}

const named = (): { exits: string; one: string; two: string } => {
  const prefix = randomUUID();
  return { exits: EXITS.replaceAll(/(one|two)=/g, `${prefix}-$1=`), one: `${prefix}-one`, two: `${prefix}-two` };
};

const report = (pool: TestPool, leaseId: string, more: Partial<ReportExitRequest> = {}) =>
  pool.peer.call(Rpc.reportExit, { workspaceId: 'ws_one', leaseId, outcome: 'read', bytes: 10, ...more }, CALL);

const exitOf = async (pool: TestPool, name: string) =>
  (await pool.peer.call(Rpc.listExits, {}, CALL)).exits.find((exit) => exit.name === name);

describe('the health of exits', () => {
  it('is shared by two instances: each uses the reports of the other', async () => {
    const { exits, one, two } = named();
    const [first, second] = [await instance(exits), await instance(exits)];
    for (let failures = 0; failures < 3; failures += 1)
      await report(first, (await first.lease('DE')).id, { outcome: 'failed' });
    expect(await exitOf(second, one)).toMatchObject({ state: 'dead', requests: 3 });
    await expect(second.lease('DE')).rejects.toThrow('no exit');
    for (let refusals = 0; refusals < 3; refusals += 1) {
      const { id } = await second.lease('FR', { host: 'walled.test' });
      await report(second, id, { outcome: 'refused', bytes: 5 });
    }
    expect(await exitOf(first, two)).toMatchObject({ requests: 3, bytes: 15, burnedFor: ['walled.test'] });
    await expect(first.lease('FR', { host: 'walled.test' })).rejects.toThrow('no exit');
    expect(await first.lease('FR', { host: 'open.test' })).toMatchObject({ exitName: two });
  });

  it('survives the restart of every instance', async () => {
    const { exits, one } = named();
    const before = await instance(exits);
    await report(before, (await before.lease('DE', { host: 'home.test' })).id, { bytes: 77 });
    opened.splice(opened.indexOf(before), 1);
    await before.close();
    const after = await instance(exits);
    expect(await exitOf(after, one)).toMatchObject({ requests: 1, bytes: 77, adoptedBy: ['home.test'] });
  });

  it('counts every report of instances that report at the same time', async () => {
    const { exits, one, two } = named();
    const pools = [await instance(exits), await instance(exits)];
    const reports = Array.from({ length: 40 }, async (_, index) => {
      const pool = pools[index % 2];
      if (pool === undefined) return;
      await report(pool, (await pool.lease('', { host: `${index}.test` })).id);
    });
    await Promise.all(reports);
    const [first] = pools;
    if (first === undefined) throw new Error('no instance');
    const counted = await Promise.all([one, two].map((name) => exitOf(first, name)));
    expect(counted.reduce((sum, exit) => sum + (exit?.requests ?? 0), 0)).toBe(40);
  });
});

describe('leases and sessions of exits', () => {
  it('are valid at every instance: a lease can be reported at another one, and a session keeps its exit', async () => {
    const { exits } = named();
    const [first, second] = [await instance(exits), await instance(exits)];
    const { id } = await first.lease('DE');
    await expect(report(second, id, { workspaceId: 'ws_two' })).rejects.toMatchObject({ code: 'not_found' });
    await report(second, id);
    await expect(report(first, id)).rejects.toMatchObject({ code: 'not_found' });
    const session = randomUUID();
    const { exitName } = await first.lease('', { session });
    for (let page = 0; page < 10; page += 1) {
      expect((await second.lease('', { session, host: `${page}.test` })).exitName).toBe(exitName);
    }
  });
});

describe('the health of exits without Redis', () => {
  it('is kept by each instance separately', async () => {
    const { exits, one } = named();
    const [first, second] = [await instance(exits, ''), await instance(exits, '')];
    await report(first, (await first.lease('DE')).id);
    expect(await exitOf(first, one)).toMatchObject({ requests: 1 });
    expect(await exitOf(second, one)).toMatchObject({ requests: 0 });
  });

  it('continues from the local records if Redis becomes unavailable', async () => {
    const own = await startRedis();
    const { exits, one } = named();
    const pool = await instance(exits, own.url);
    try {
      await report(pool, (await pool.lease('DE', { host: 'home.test' })).id);
      const { id } = await pool.lease('DE');
      await own.kill();
      await until('a lease without Redis', async () => (await pool.lease('DE')).id !== '');
      await report(pool, id, { bytes: 5 });
      expect((await exitOf(pool, one))?.adoptedBy).toContain('home.test');
    } finally {
      await own.close();
    }
  });
});
