import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, takes, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { acquireOrGivenUp, acquirePermit } from './acquire-permit.ts';
import { BACKOFF_POLICIES, type HostReport } from './host-health.ts';
import { BUSY_MS, type HostLimiter, isPermit, type Permit, type Wait } from './host-limiter.ts';
import { LocalHostLimiter } from './local-host-limiter.ts';
import { PermitReuse } from './permit-reuse.ts';
import { RedisHostLimiter } from './redis-host-limiter.ts';

const forEver = new AbortController().signal;
let server: TestRedis;
const clients: Redis[] = [];
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server?.close();
});

async function redisPace(at = server): Promise<HostLimiter> {
  const redis = new Redis(at.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    disconnectTimeout: 50,
  });
  redis.on('error', () => undefined);
  clients.push(redis);
  await until('redis answers', () => redis.status === 'ready');
  return new PermitReuse(new RedisHostLimiter(redis, new LocalHostLimiter(), QUICK));
}

/** The policies with the same number of failures and shorter times. */
const QUICK = {
  ...BACKOFF_POLICIES,
  silent: { fails: 3, firstMs: 100, mostMs: 150, rounds: 2 },
};
const SILENT = { kind: 'failed', trouble: 'silent', why: 'it gave no response', latency: undefined } as const;
const ANSWERED: HostReport = { kind: 'answered', latency: undefined };
const PACE = { concurrency: 8, delayMs: 0 };

/** Two processes with a shared limiter, or one with a local one. */
const limiters: readonly (readonly [string, () => Promise<readonly HostLimiter[]>])[] = [
  ['one process', async () => [new LocalHostLimiter({ policies: QUICK })]],
  ['two processes with Redis', async () => [await redisPace(), await redisPace()]],
];

it('a turn that Redis takes after the time limit of the command does not count against the host', async () => {
  const limiter = await redisPace();
  const redis = new Redis(server.url);
  clients.push(redis);
  const executed = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
  // Redis stores the script.
  await limiter.acquire('earlier.example', PACE);
  const before = await executed();
  // Redis executes the command 900 ms after the client has sent it, and 400 ms after the client has given up.
  await redis.call('CLIENT', 'PAUSE', '900', 'ALL');
  expect(isPermit(await limiter.acquire('late.example', { concurrency: 1, delayMs: 0 }))).toBe(true);
  await until('the command is executed', async () => (await executed()) > before);
  await until('the turn is removed', async () => (await redis.zcard('pace:{late.example}:busy')) === 0);
});

describe.each(limiters)('host limiter (%s)', (_, make) => {
  it('limits concurrent fetches', async () => {
    const pacing = await make();
    let busy = 0;
    let most = 0;
    const fetchOnce = async (limiter: HostLimiter) => {
      const permit = await acquirePermit(limiter, 'busy.example', { concurrency: 3, delayMs: 0 }, forEver);
      busy += 1;
      most = Math.max(most, busy);
      await takes(15);
      busy -= 1;
      await permit?.release();
    };
    await Promise.all(
      Array.from({ length: 24 }, (_each, at) => fetchOnce(pacing[at % pacing.length] ?? new LocalHostLimiter())),
    );
    expect(most).toBe(3);
  });

  it('keeps the delay between any two starts', async () => {
    const pacing = await make();
    const beganAt = Date.now();
    const starts: number[] = [];
    const fetchOnce = async (limiter: HostLimiter) => {
      const permit = await acquirePermit(limiter, 'slow.example', { concurrency: 8, delayMs: 60 }, forEver);
      starts.push(Date.now() - beganAt);
      await permit?.release();
    };
    await Promise.all(
      Array.from({ length: 8 }, (_each, at) => fetchOnce(pacing[at % pacing.length] ?? new LocalHostLimiter())),
    );
    // A busy machine records a start later than it was granted, which shortens the gap to the next one: each is compared with the beginning.
    const tooEarly = starts.filter((startMs, at) => startMs < 60 * at - 5);
    expect(tooEarly).toEqual([]);
  });

  it('starts nothing on a held host, and holds no other host', async () => {
    const pacing = await make();
    await pacing[0]?.hold('held.example', 300, 'Retry-After');
    for (const limiter of pacing) {
      expect(await limiter.acquire('held.example', PACE)).toMatchObject({
        ms: expect.any(Number),
        why: 'Retry-After',
      });
      expect(isPermit(await limiter.acquire('other.example', PACE))).toBe(true);
    }
    const startedAt = Date.now();
    await acquirePermit(
      pacing.at(-1) ?? new LocalHostLimiter(),
      'held.example',
      { concurrency: 8, delayMs: 0 },
      forEver,
    );
    expect(Date.now() - startedAt).toBeGreaterThan(150);
  });

  it('holds a host after repeated failures, each time longer, and gives it up', async () => {
    const pacing = await make();
    const [limiter = new LocalHostLimiter(), other = limiter] = pacing;
    const permits = await Promise.all(
      Array.from({ length: 6 }, () => acquirePermit(limiter, 'down.example', PACE, forEver)),
    );
    const states: unknown[] = [];
    for (const permit of permits) states.push(await permit?.release(SILENT));
    // Fetches that started before the hold do not count.
    expect(states).toEqual(['up', 'up', 'held', 'held', 'held', 'held']);
    expect(await other.acquire('down.example', PACE)).toMatchObject({ why: SILENT.why, isGivenUp: false });
    for (const state of ['held', 'given_up']) {
      const startedAt = performance.now();
      const permit = await acquirePermit(other, 'down.example', PACE, forEver);
      expect(performance.now() - startedAt).toBeGreaterThan(40);
      expect(isPermit(await limiter.acquire('down.example', PACE))).toBe(false);
      expect(await permit?.release(SILENT)).toBe(state);
    }
    const wait = { signal: forEver, onWait: () => undefined };
    expect(await acquireOrGivenUp(limiter, 'down.example', PACE, wait)).toMatchObject({
      isGivenUp: true,
      why: SILENT.why,
    });
  });

  it('requests a host less often while its responses are slower than usual', async () => {
    const pacing = await make();
    const [limiter = new LocalHostLimiter(), other = limiter] = pacing;
    const respond = async (ms: number) => {
      const permit = await acquirePermit(limiter, 'tired.example', PACE, forEver);
      await permit?.release({ kind: 'answered', latency: { ms, isError: false } });
      return permit?.delayMs ?? 0;
    };
    for (let i = 0; i < 4; i += 1) {
      expect(await respond(100)).toBe(0);
      // A permit that no page reuses is released, with its report.
      await takes(20);
    }
    for (let i = 0; i < 12; i += 1) await respond(1_200);
    const slowed = await respond(1_200);
    expect(slowed).toBeGreaterThan(60);
    await until('the other process to wait after a start', async () => {
      await respond(1_200);
      const second = await other.acquire('tired.example', PACE);
      if (!isPermit(second)) return true;
      // More time than the delay passed between the two starts.
      await second.release({ kind: 'unused', latency: undefined });
      return false;
    });
    const error: HostReport = { kind: 'answered', latency: { ms: 1, isError: true } };
    const permit = await acquirePermit(other, 'tired.example', PACE, forEver);
    await permit?.release(error);
    expect(await respond(1_200)).toBeGreaterThanOrEqual(slowed);
  });

  it('keeps a delay also after a start of a job without one, except where its permit was not used', async () => {
    const [limiter = new LocalHostLimiter(), other = limiter] = await make();
    expect(isPermit(await limiter.acquire('mixed-pace.example', PACE))).toBe(true);
    const slow = { concurrency: 8, delayMs: 60_000 };
    expect(await other.acquire('mixed-pace.example', slow)).toMatchObject({ ms: expect.any(Number) });
    const unused = await limiter.acquire('unused.example', PACE);
    if (isPermit(unused)) await unused.release({ kind: 'unused', latency: undefined });
    expect(isPermit(await other.acquire('unused.example', slow))).toBe(true);
  });

  it('fetches a host at the agreed pace after it has answered', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    for (let fails = 0; fails < 3; fails += 1) {
      await (await acquirePermit(limiter, 'back.example', PACE, forEver))?.release(SILENT);
    }
    const probe = await acquirePermit(limiter, 'back.example', PACE, forEver);
    expect(isPermit(await limiter.acquire('back.example', PACE))).toBe(false);
    expect(await probe?.release(ANSWERED)).toBe('up');
    const permits = [await limiter.acquire('back.example', PACE), await limiter.acquire('back.example', PACE)];
    expect(permits.every(isPermit)).toBe(true);
  });

  it('ignores failures with responses between them', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    for (let times = 0; times < 9; times += 1) {
      const permit = await acquirePermit(limiter, 'mixed.example', PACE, forEver);
      expect(await permit?.release(times % 3 === 2 ? ANSWERED : SILENT)).toBe('up');
    }
  });

  it('reports the reason to waiters, including later ones', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    await limiter.hold('why.example', 60_000, 'Retry-After');
    const stop = new AbortController();
    const waits: (string | undefined)[] = [];
    const wait = { signal: stop.signal, onWait: ({ why }: { why?: string }) => void waits.push(why) };
    const first = acquireOrGivenUp(limiter, 'why.example', PACE, wait);
    await until('the first to hear', () => waits.length === 1);
    const second = acquireOrGivenUp(limiter, 'why.example', PACE, wait);
    expect(waits).toEqual(['Retry-After', 'Retry-After']);
    stop.abort();
    expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  });

  it('reports no wait to a waiter whose host is only busy', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    const oneAtATime = { concurrency: 1, delayMs: 0 };
    const running = await acquirePermit(limiter, 'turn.example', oneAtATime, forEver);
    const waits: Wait[] = [];
    const wait = { signal: forEver, onWait: (one: Wait) => void waits.push(one) };
    const next = acquireOrGivenUp(limiter, 'turn.example', oneAtATime, wait);
    expect(await limiter.acquire('turn.example', oneAtATime)).toEqual({ ms: BUSY_MS });
    await running?.release();
    const permit = await next;
    expect(permit !== undefined && isPermit(permit)).toBe(true);
    expect(waits).toEqual([]);
  });

  it('serves waiters in order of arrival', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    const served: number[] = [];
    const fetchOnce = async (at: number) => {
      const permit = await acquirePermit(limiter, 'order.example', { concurrency: 1, delayMs: 0 }, forEver);
      served.push(at);
      await permit?.release();
    };
    await Promise.all(Array.from({ length: 9 }, (_each, at) => fetchOnce(at)));
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('stops waiting when the signal is aborted', async () => {
    const [limiter = new LocalHostLimiter()] = await make();
    await limiter.hold('off.example', 60_000);
    const stop = new AbortController();
    const waiting = acquirePermit(limiter, 'off.example', { concurrency: 1, delayMs: 0 }, stop.signal);
    stop.abort();
    expect(await waiting).toBeUndefined();
  });
});

describe('host limiter after a process died', () => {
  it("returns the dead process's permits within seconds and keeps those of live processes", async () => {
    const doomed = new Redis(server.url);
    const living = await redisPace();
    const pace = { concurrency: 2, delayMs: 0 };
    expect(isPermit(await new RedisHostLimiter(doomed, new LocalHostLimiter()).acquire('bereft.example', pace))).toBe(
      true,
    );
    expect(isPermit(await living.acquire('bereft.example', pace))).toBe(true);
    expect(isPermit(await living.acquire('bereft.example', pace))).toBe(false);
    doomed.disconnect();
    await until('its turn is given to another', async () => isPermit(await living.acquire('bereft.example', pace)));
    expect(isPermit(await living.acquire('bereft.example', pace))).toBe(false);
  });
});

describe('host limiter without Redis', () => {
  it('limits hosts inside each process and continues', async () => {
    const mortal = await startRedis();
    const limiter = await redisPace(mortal);
    await mortal.kill();
    const permits: Permit[] = [];
    await until('a turn is given without it', async () => {
      const granted = await limiter.acquire('alone.example', { concurrency: 2, delayMs: 0 });
      if (isPermit(granted)) permits.push(granted);
      return permits.length === 2;
    });
    expect(isPermit(await limiter.acquire('alone.example', { concurrency: 2, delayMs: 0 }))).toBe(false);
    await mortal.close().catch(() => undefined);
  });
});
