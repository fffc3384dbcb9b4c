import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { type PaceKeeper, type Turn, turnAt } from './host-pace.ts';
import { LocalPace } from './local-pace.ts';
import { RedisPace } from './redis-pace.ts';

const forEver = new AbortController().signal;
let server: TestRedis;
const clients: Redis[] = [];
beforeAll(async () => {
  server = await startRedis();
}, 60_000);
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server?.close();
});

async function redisPace(at = server): Promise<PaceKeeper> {
  const redis = new Redis(at.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    disconnectTimeout: 50,
  });
  redis.on('error', () => undefined);
  clients.push(redis);
  await until('redis answers', () => redis.status === 'ready');
  return new RedisPace(redis, new LocalPace());
}

/** Two processes that share one pace, or one that keeps it alone. */
const keepers: readonly (readonly [string, () => Promise<readonly PaceKeeper[]>])[] = [
  ['one process', async () => [new LocalPace()]],
  ['two processes with Redis', async () => [await redisPace(), await redisPace()]],
];

describe.each(keepers)('the pace of a host, kept by %s', (_, make) => {
  it('lets no more fetches run at once than agreed', async () => {
    const pacing = await make();
    let busy = 0;
    let most = 0;
    const fetchOnce = async (keeper: PaceKeeper) => {
      const turn = await turnAt(keeper, 'busy.example', { concurrency: 3, delayMs: 0 }, forEver);
      busy += 1;
      most = Math.max(most, busy);
      await new Promise((resolve) => setTimeout(resolve, 15));
      busy -= 1;
      await turn?.done();
    };
    await Promise.all(
      Array.from({ length: 24 }, (_each, at) => fetchOnce(pacing[at % pacing.length] ?? new LocalPace())),
    );
    expect(most).toBe(3);
  });

  it('keeps the delay between any two starts', async () => {
    const pacing = await make();
    const starts: number[] = [];
    const fetchOnce = async (keeper: PaceKeeper) => {
      const turn = await turnAt(keeper, 'slow.example', { concurrency: 8, delayMs: 60 }, forEver);
      starts.push(Date.now());
      await turn?.done();
    };
    await Promise.all(
      Array.from({ length: 8 }, (_each, at) => fetchOnce(pacing[at % pacing.length] ?? new LocalPace())),
    );
    const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? 0));
    // Clocks tick in whole milliseconds, and the start is noted a moment after it was granted.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
  });

  it('starts nothing while the host is held, and holds no other host', async () => {
    const pacing = await make();
    await pacing[0]?.hold('held.example', 300);
    for (const keeper of pacing) {
      expect(await keeper.ask('held.example', { concurrency: 8, delayMs: 0 })).toBeGreaterThan(0);
      expect(typeof (await keeper.ask('other.example', { concurrency: 8, delayMs: 0 }))).toBe('object');
    }
    const startedAt = Date.now();
    await turnAt(pacing.at(-1) ?? new LocalPace(), 'held.example', { concurrency: 8, delayMs: 0 }, forEver);
    expect(Date.now() - startedAt).toBeGreaterThan(150);
  });

  it('stops waiting where the work is called off', async () => {
    const [keeper = new LocalPace()] = await make();
    await keeper.hold('off.example', 60_000);
    const stop = new AbortController();
    const waiting = turnAt(keeper, 'off.example', { concurrency: 1, delayMs: 0 }, stop.signal);
    stop.abort();
    expect(await waiting).toBeUndefined();
  });
});

describe('where Redis dies', () => {
  it('each process keeps the pace for itself, and nothing stops', async () => {
    const mortal = await startRedis();
    const keeper = await redisPace(mortal);
    await mortal.kill();
    const turns: Turn[] = [];
    await until('a turn is given without it', async () => {
      const answer = await keeper.ask('alone.example', { concurrency: 2, delayMs: 0 });
      if (typeof answer !== 'number') turns.push(answer);
      return turns.length === 2;
    });
    expect(typeof (await keeper.ask('alone.example', { concurrency: 2, delayMs: 0 }))).toBe('number');
    await mortal.close().catch(() => undefined);
  });
});
