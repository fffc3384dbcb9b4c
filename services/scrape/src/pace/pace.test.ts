import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, takes, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { HandingPace } from './handing-pace.ts';
import { type PaceKeeper, turnAt, turnOrGivenUp } from './host-pace.ts';
import { LocalPace } from './local-pace.ts';
import { isTurn, type Turn } from './pace-keeper.ts';
import { PATIENCE } from './patience.ts';
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
  return new HandingPace(new RedisPace(redis, new LocalPace(), QUICK));
}

/** Hosts are put up with for as many failures, for a shorter time. */
const QUICK = {
  ...PATIENCE,
  silent: { fails: 3, firstMs: 100, mostMs: 150, rounds: 2 },
};
const SILENT = { trouble: 'silent', why: 'it gave no answer' } as const;
const PACE = { concurrency: 8, delayMs: 0 };

/** Two processes that share one pace, or one that keeps it alone. */
const keepers: readonly (readonly [string, () => Promise<readonly PaceKeeper[]>])[] = [
  ['one process', async () => [new LocalPace(undefined, QUICK)]],
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
      await takes(15);
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
    const leastGap = async (host: string): Promise<number> => {
      const starts: number[] = [];
      const fetchOnce = async (keeper: PaceKeeper) => {
        const turn = await turnAt(keeper, host, { concurrency: 8, delayMs: 60 }, forEver);
        starts.push(Date.now());
        await turn?.done();
      };
      await Promise.all(
        Array.from({ length: 8 }, (_each, at) => fetchOnce(pacing[at % pacing.length] ?? new LocalPace())),
      );
      return Math.min(...starts.slice(1).map((start, at) => start - (starts[at] ?? 0)));
    };
    // A busy machine notes a start later than it was granted, which shortens the gap to the next: not every time.
    let least = 0;
    for (let round = 0; round < 5 && least < 50; round += 1) least = await leastGap(`slow-${round}.example`);
    expect(least).toBeGreaterThanOrEqual(50);
  });

  it('starts nothing while the host is held, and holds no other host', async () => {
    const pacing = await make();
    await pacing[0]?.hold('held.example', 300, 'it asked for it');
    for (const keeper of pacing) {
      expect(await keeper.ask('held.example', PACE)).toMatchObject({ ms: expect.any(Number), why: 'it asked for it' });
      expect(isTurn(await keeper.ask('other.example', PACE))).toBe(true);
    }
    const startedAt = Date.now();
    await turnAt(pacing.at(-1) ?? new LocalPace(), 'held.example', { concurrency: 8, delayMs: 0 }, forEver);
    expect(Date.now() - startedAt).toBeGreaterThan(150);
  });

  it('leaves a host alone that fails several times in a row, each time longer, and gives it up', async () => {
    const pacing = await make();
    const [keeper = new LocalPace(), other = keeper] = pacing;
    const turns = await Promise.all(Array.from({ length: 6 }, () => turnAt(keeper, 'down.example', PACE, forEver)));
    const states: unknown[] = [];
    for (const turn of turns) states.push(await turn?.done(SILENT));
    // What began before it was left alone adds nothing.
    expect(states).toEqual(['up', 'up', 'held', 'held', 'held', 'held']);
    expect(await other.ask('down.example', PACE)).toMatchObject({ why: SILENT.why, isGivenUp: false });
    for (const state of ['held', 'given_up']) {
      const startedAt = performance.now();
      const turn = await turnAt(other, 'down.example', PACE, forEver);
      expect(performance.now() - startedAt).toBeGreaterThan(40);
      expect(isTurn(await keeper.ask('down.example', PACE))).toBe(false);
      expect(await turn?.done(SILENT)).toBe(state);
    }
    const wait = { signal: forEver, onWait: () => undefined };
    expect(await turnOrGivenUp(keeper, 'down.example', PACE, wait)).toMatchObject({ isGivenUp: true, why: SILENT.why });
  });

  it('asks a host again as agreed once it has answered', async () => {
    const [keeper = new LocalPace()] = await make();
    for (let fails = 0; fails < 3; fails += 1) {
      await (await turnAt(keeper, 'back.example', PACE, forEver))?.done(SILENT);
    }
    const probe = await turnAt(keeper, 'back.example', PACE, forEver);
    expect(isTurn(await keeper.ask('back.example', PACE))).toBe(false);
    expect(await probe?.done('answered')).toBe('up');
    const turns = [await keeper.ask('back.example', PACE), await keeper.ask('back.example', PACE)];
    expect(turns.every(isTurn)).toBe(true);
  });

  it('is not troubled by failures with answers between them', async () => {
    const [keeper = new LocalPace()] = await make();
    for (let times = 0; times < 9; times += 1) {
      const turn = await turnAt(keeper, 'mixed.example', PACE, forEver);
      expect(await turn?.done(times % 3 === 2 ? 'answered' : SILENT)).toBe('up');
    }
  });

  it('tells those who wait why, those who come later too', async () => {
    const [keeper = new LocalPace()] = await make();
    await keeper.hold('why.example', 60_000, 'it asked for it');
    const stop = new AbortController();
    const heard: (string | undefined)[] = [];
    const wait = { signal: stop.signal, onWait: ({ why }: { why?: string }) => void heard.push(why) };
    const first = turnOrGivenUp(keeper, 'why.example', PACE, wait);
    await until('the first to hear', () => heard.length === 1);
    const second = turnOrGivenUp(keeper, 'why.example', PACE, wait);
    expect(heard).toEqual(['it asked for it', 'it asked for it']);
    stop.abort();
    expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  });

  it('serves those who wait in the order in which they came', async () => {
    const [keeper = new LocalPace()] = await make();
    const served: number[] = [];
    const fetchOnce = async (at: number) => {
      const turn = await turnAt(keeper, 'order.example', { concurrency: 1, delayMs: 0 }, forEver);
      served.push(at);
      await turn?.done();
    };
    await Promise.all(Array.from({ length: 9 }, (_each, at) => fetchOnce(at)));
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
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

describe('where a process dies', () => {
  it('the turns it had are another’s within seconds, and those of the living stay theirs', async () => {
    const doomed = new Redis(server.url);
    const living = await redisPace();
    const pace = { concurrency: 2, delayMs: 0 };
    expect(isTurn(await new RedisPace(doomed, new LocalPace()).ask('bereft.example', pace))).toBe(true);
    expect(isTurn(await living.ask('bereft.example', pace))).toBe(true);
    expect(isTurn(await living.ask('bereft.example', pace))).toBe(false);
    doomed.disconnect();
    await until('its turn is given to another', async () => isTurn(await living.ask('bereft.example', pace)), {
      withinMs: 8_000,
    });
    expect(isTurn(await living.ask('bereft.example', pace))).toBe(false);
  }, 15_000);
});

describe('where Redis dies', () => {
  it('each process keeps the pace for itself, and nothing stops', async () => {
    const mortal = await startRedis();
    const keeper = await redisPace(mortal);
    await mortal.kill();
    const turns: Turn[] = [];
    await until('a turn is given without it', async () => {
      const answer = await keeper.ask('alone.example', { concurrency: 2, delayMs: 0 });
      if (isTurn(answer)) turns.push(answer);
      return turns.length === 2;
    });
    expect(isTurn(await keeper.ask('alone.example', { concurrency: 2, delayMs: 0 }))).toBe(false);
    await mortal.close().catch(() => undefined);
  });
});
