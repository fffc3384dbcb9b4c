import { expect, it } from '@jest/globals';
import { createLogger } from '@tidemark/service';
import { startRedis, until } from '@tidemark/testkit';
import { type HostLimiter, isPermit } from './host-limiter.ts';
import { openHostLimiter } from './open-host-limiter.ts';

const PACE = { concurrency: 4, delayMs: 0 };

/** A limiter with the messages that it logs. */
function opened(redisUrl: string | undefined) {
  const logged: string[] = [];
  const log = createLogger('test', 'warn', { write: (line: string) => void logged.push(String(JSON.parse(line).msg)) });
  const owned: { close(): unknown }[] = [];
  const limiter = openHostLimiter({
    config: { REDIS_URL: redisUrl },
    log,
    own: (resource) => {
      owned.push(resource);
      return resource;
    },
  });
  return { limiter, logged, close: () => owned.map((resource) => resource.close()) };
}

/** Acquires permits until one is refused. */
async function permitsOf(limiter: HostLimiter, host: string): Promise<number> {
  for (let permits = 0; ; permits += 1) if (!isPermit(await limiter.acquire(host, PACE))) return permits;
}

it('keeps half of the pace in each process without Redis, and logs it once', async () => {
  const { limiter, logged } = opened(undefined);
  expect(await permitsOf(limiter, 'half.example')).toBe(2);
  expect(await limiter.acquire('slow.example', { concurrency: 4, delayMs: 500 })).toMatchObject({ delayMs: 1_000 });
  expect(await permitsOf(limiter, 'other.example')).toBe(2);
  expect(logged).toEqual(['REDIS_URL is not set: this process keeps half of the pace of each host']);
});

it('keeps half of the pace while Redis is lost, and logs it once per loss', async () => {
  const server = await startRedis();
  const { limiter, logged, close } = opened(server.url);
  await until('the fleet has one pace', async () => (await permitsOf(limiter, `whole-${Math.random()}.example`)) === 4);
  logged.length = 0;
  await server.kill();
  await until(
    'half of the pace is kept',
    async () => (await permitsOf(limiter, `lost-${Math.random()}.example`)) === 2,
  );
  await until('several connections were tried', async () => {
    await limiter.acquire('again.example', PACE);
    return logged.length > 0;
  });
  expect(logged).toEqual(['redis is unavailable: this process keeps half of the pace of each host until it is back']);
  close();
  await server.close().catch(() => undefined);
});
