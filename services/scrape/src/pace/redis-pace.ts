import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Pace, type PaceKeeper, TURN_MS, type Turn } from './host-pace.ts';

const BUSY_MS = 25;

/**
 * One turn, by the clock of Redis alone: the ends of turns in a sorted set, the next allowed start beside it.
 * Answers 0 for a turn, the milliseconds to wait for a start that is not yet due, -1 where all turns are taken.
 */
const ASK = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local next = tonumber(redis.call('GET', KEYS[1]) or '0')
if next > now then return next - now end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[1]) then return -1 end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[4]) redis.call('PEXPIRE', KEYS[2], ARGV[3])
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], now + ARGV[2], 'PX', ARGV[2]) end
return 0`;

const HOLD = `
local t = redis.call('TIME') local till = t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[1]
if tonumber(redis.call('GET', KEYS[1]) or '0') < till then redis.call('SET', KEYS[1], till, 'PX', ARGV[1]) end`;

/**
 * The pace of hosts over the whole fleet. Where Redis is away, each process keeps the pace for itself: hosts are asked a little
 * faster than agreed, by as many processes as there are, and nothing stops.
 */
export class RedisPace implements PaceKeeper {
  readonly #redis: Redis;
  readonly #alone: PaceKeeper;

  constructor(redis: Redis, alone: PaceKeeper) {
    this.#redis = redis;
    this.#alone = alone;
  }

  async ask(host: string, pace: Pace): Promise<Turn | number> {
    if (this.#redis.status !== 'ready') return this.#alone.ask(host, pace);
    const [next, busy] = keysOf(host);
    const token = randomUUID();
    try {
      const answer = Number(await this.#redis.eval(ASK, 2, next, busy, pace.concurrency, pace.delayMs, TURN_MS, token));
      if (answer < 0) return BUSY_MS;
      if (answer > 0) return answer;
      // A turn that can't be given back ends by itself.
      return { done: async () => void (await this.#redis.zrem(busy, token).catch(() => undefined)) };
    } catch {
      return this.#alone.ask(host, pace);
    }
  }

  async hold(host: string, ms: number): Promise<void> {
    await this.#alone.hold(host, ms);
    if (this.#redis.status !== 'ready') return;
    await this.#redis.eval(HOLD, 1, keysOf(host)[0], Math.ceil(ms)).catch(() => undefined);
  }
}

/** Both keys of a host lie in one slot of a Redis cluster. */
const keysOf = (host: string): [string, string] => [`pace:{${host}}:next`, `pace:{${host}}:busy`];
