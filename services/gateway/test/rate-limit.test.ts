import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { RateLimiter } from '../src/middleware/rate-limit.ts';

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

const workspace = () => crypto.randomUUID();
const subject = (workspaceId: string, keyId: string, keyRpm = 100) => ({
  workspaceId,
  keyId: `key_${keyId}`,
  keyRpm,
  workspaceRpm: 5,
});

/** Both stores of the counters: Redis, and the memory of an instance without Redis. */
const limiters = {
  'in Redis': () => new RateLimiter(redis),
  'without Redis': () => new RateLimiter(new Redis({ lazyConnect: true })),
};

describe.each(Object.entries(limiters))('RateLimiter %s', (_, makeLimiter) => {
  it('counts the requests of all keys of a workspace together, and of each key alone', async () => {
    const limiter = makeLimiter();
    const id = workspace();
    const seen = [];
    for (const key of ['a', 'b', 'a', 'b', 'c', 'd']) seen.push(await limiter.take(subject(id, key, 4)));
    expect(seen.map(({ of, remaining, exceeded }) => [of, remaining, exceeded])).toEqual([
      ['key', 3, false],
      ['key', 3, false],
      ['key', 2, false],
      ['workspace', 1, false],
      ['workspace', 0, false],
      ['workspace', 0, true],
    ]);
    expect(await limiter.take(subject(workspace(), 'a', 4))).toMatchObject({ remaining: 3, exceeded: false });
  });

  it('returns the window of a key that exceeds its limit, and leaves the rest of the workspace’s window to other keys', async () => {
    const limiter = makeLimiter();
    const id = workspace();
    const seen = [];
    for (let i = 0; i < 10; i += 1) seen.push(await limiter.take(subject(id, 'greedy', 2)));
    expect(seen.filter(({ exceeded }) => exceeded)).toHaveLength(8);
    expect(seen.at(-1)).toMatchObject({ of: 'key', limit: 2, remaining: 0 });
    expect(await limiter.take(subject(id, 'other'))).toMatchObject({ of: 'workspace', limit: 5, remaining: 2 });
  });

  it('returns the seconds until the window ends, between 1 and 60', async () => {
    const { resetSeconds } = await makeLimiter().take(subject(workspace(), 'a'));
    expect(resetSeconds).toBeGreaterThan(0);
    expect(resetSeconds).toBeLessThanOrEqual(60);
  });
});

describe('RateLimiter in Redis', () => {
  it('counts a request with one command', async () => {
    const commands = await redis.monitor();
    const sent: string[][] = [];
    commands.on('monitor', (_time: string, command: string[], source: string) => {
      if (source !== 'lua') sent.push(command);
    });
    const id = workspace();
    await new RateLimiter(redis).take(subject(id, 'a'));
    await redis.echo(`end of ${id}`);
    await until('the end of the commands to be reported', () => sent.some(([, text]) => text === `end of ${id}`));
    commands.disconnect();
    const own = sent.filter((command) => command.some((part) => part.includes(id)));
    expect(own.map(([name]) => name)).toEqual(['eval', 'echo']);
  });
});
