import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { ContinuedJobStore } from '../src/routes/firecrawl/continued-job-store.ts';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  await until('the connection to Redis', () => redis.status === 'ready');
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

describe('ContinuedJobStore', () => {
  it('returns a job that another instance of the gateway keeps, until any instance removes it', async () => {
    const [one, other] = [new ContinuedJobStore(redis), new ContinuedJobStore(redis)];
    await one.keep('request', 'job_1');
    expect(await other.find('request')).toBe('job_1');
    await other.remove('request');
    expect(await one.find('request')).toBeUndefined();
  });

  it('expires a job in Redis', async () => {
    await new ContinuedJobStore(redis).keep('expiring', 'job_1');
    expect(await redis.ttl('firecrawl:continued:expiring')).toBeGreaterThan(0);
  });

  it.each([
    ['without Redis', undefined],
    ['while Redis is not reachable', new Redis({ lazyConnect: true })],
  ])('keeps the jobs of its own instance %s', async (_, unreachable) => {
    const jobs = new ContinuedJobStore(unreachable);
    await jobs.keep('request', 'job_1');
    expect(await jobs.find('request')).toBe('job_1');
    await jobs.remove('request');
    expect(await jobs.find('request')).toBeUndefined();
  });

  it('keeps at most a thousand jobs in memory', async () => {
    const jobs = new ContinuedJobStore();
    for (let at = 0; at < 1_001; at += 1) await jobs.keep(`request ${at}`, 'job_1');
    expect(await jobs.find('request 0')).toBeUndefined();
    expect(await jobs.find('request 1000')).toBe('job_1');
  });
});
