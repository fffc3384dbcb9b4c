import type { Redis } from 'ioredis';
import { z } from 'zod';
import { BACKOFF_POLICIES, GIVEN_UP_MS, HISTORY_MS, type HostReport, TROUBLES } from './host-health.ts';
import {
  BUSY_MS,
  type HostLimiter,
  type HostState,
  type Pace,
  PERMIT_MS,
  type Permit,
  type Wait,
} from './host-limiter.ts';
import { OWNER_EXPIRY_MS, PermitOwner, releaseExpired } from './permit-owner.ts';

/** All scripts use the clock of Redis. */
const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/**
 * Acquires a permit. Permits are members of a sorted set with their expiry as score; the next allowed start is a
 * separate key. Returns 0 for a permit; the milliseconds until the next start, and the reason; or -1 if no permit is
 * free. A host that has failed has one permit.
 */
const ACQUIRE = `
${NOW}
local next = tonumber(redis.call('GET', KEYS[1]) or '0')
if next > now then return {next - now, redis.call('GET', KEYS[3]) or ''} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
${releaseExpired('KEYS[2]', 'KEYS[5]')}
local most = tonumber(ARGV[1]) if tonumber(redis.call('HGET', KEYS[4], 'round') or '0') > 0 then most = 1 end
if redis.call('ZCARD', KEYS[2]) >= most then return {-1, ''} end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[4]) redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[5], now + ARGV[6], ARGV[5]) redis.call('PEXPIRE', KEYS[5], ARGV[3])
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], now + ARGV[2], 'PX', ARGV[2]) end
return {0, ''}`;

const HOLD = `
${NOW}
local till = now + ARGV[1]
if tonumber(redis.call('GET', KEYS[1]) or '0') < till then
  redis.call('SET', KEYS[1], till, 'PX', ARGV[1])
  if ARGV[2] == '' then redis.call('DEL', KEYS[3]) else redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[1]) end
end`;

const ANSWERED = `redis.call('ZREM', KEYS[2], ARGV[1]) redis.call('DEL', KEYS[4])`;

/** Records one more failure, as \`failedAgain\` does. Returns 0: up, 1: held, 2: given up. */
const FAILED = `
${NOW}
local ends = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or now + ARGV[2]) redis.call('ZREM', KEYS[2], ARGV[1])
local known = redis.call('HMGET', KEYS[4], 'fails', 'round', 'until')
local fails, round, til = tonumber(known[1] or '0') + 1, tonumber(known[2] or '0'), tonumber(known[3] or '0')
local rounds = tonumber(ARGV[6])
if ends - ARGV[2] < til then if round > rounds then return 2 end return 1 end
local held = 0
if round > 0 or fails >= tonumber(ARGV[3]) then
  round = math.min(round + 1, rounds + 1) fails = 0 held = math.min(tonumber(ARGV[5]), tonumber(ARGV[4]) * 2 ^ (round - 1))
  if round > rounds then held = tonumber(ARGV[7]) end
  til = now + held
  if tonumber(redis.call('GET', KEYS[1]) or '0') < til then
    redis.call('SET', KEYS[1], til, 'PX', held) redis.call('SET', KEYS[3], (round > rounds and '!' or '') .. ARGV[9], 'PX', held)
  end
end
redis.call('HSET', KEYS[4], 'fails', fails, 'round', round, 'until', til) redis.call('PEXPIRE', KEYS[4], ARGV[8])
if round > rounds then return 2 end
if round > 0 then return 1 end
return 0`;

/** Stored reason of a hold: a mark if the host is given up, the kind of failure, and the text. */
const WHY = /^(!?)(\w*):(.*)$/s;
const Answer = z.tuple([z.number(), z.string()]);
const STATES: readonly HostState[] = ['up', 'held', 'given_up'];

/**
 * Limits hosts over the whole fleet. If Redis is unavailable, each process limits hosts on its own: a host may then be
 * fetched faster than agreed, by a factor of the number of processes.
 */
export class RedisHostLimiter implements HostLimiter {
  readonly #redis: Redis;
  readonly #local: HostLimiter;
  readonly #policies: typeof BACKOFF_POLICIES;
  readonly #owner: PermitOwner;

  constructor(redis: Redis, local: HostLimiter, policies = BACKOFF_POLICIES) {
    this.#redis = redis;
    this.#local = local;
    this.#policies = policies;
    this.#owner = new PermitOwner(redis);
  }

  async acquire(host: string, pace: Pace): Promise<Permit | Wait> {
    if (this.#redis.status !== 'ready') return this.#local.acquire(host, pace);
    const keys = keysOf(host);
    const owners = `pace:{${host}}:owners`;
    const token = this.#owner.token();
    const args = [pace.concurrency, pace.delayMs, PERMIT_MS, token, this.#owner.id, OWNER_EXPIRY_MS];
    try {
      const [ms, why] = Answer.parse(await this.#redis.eval(ACQUIRE, 5, ...keys, owners, ...args));
      if (ms < 0) return { ms: BUSY_MS };
      if (ms === 0) {
        this.#owner.onAcquired(owners);
        return {
          release: (report) => {
            this.#owner.onReleased(owners);
            return this.#done(keys, token, report);
          },
        };
      }
      return { ms, ...readWhy(why) };
    } catch {
      return this.#local.acquire(host, pace);
    }
  }

  /** A permit that cannot be released expires. */
  async #done(keys: Keys, token: string, report: HostReport | undefined): Promise<HostState> {
    try {
      if (report === undefined) await this.#redis.zrem(keys[1], token);
      else if (report === 'answered') await this.#redis.eval(ANSWERED, 4, ...keys, token);
      else {
        const { fails, firstMs, mostMs, rounds } = this.#policies[report.trouble];
        const args = [
          token,
          PERMIT_MS,
          fails,
          firstMs,
          mostMs,
          rounds,
          GIVEN_UP_MS,
          HISTORY_MS,
          `${report.trouble}:${report.why}`,
        ];
        return STATES[Number(await this.#redis.eval(FAILED, 4, ...keys, ...args))] ?? 'up';
      }
    } catch {
      // Redis is unavailable: the report is lost with the rest of the host's state.
    }
    return 'up';
  }

  async hold(host: string, ms: number, why = ''): Promise<void> {
    await this.#local.hold(host, ms, why);
    if (this.#redis.status !== 'ready') return;
    await this.#redis.eval(HOLD, 4, ...keysOf(host), Math.ceil(ms), why === '' ? '' : `:${why}`).catch(() => undefined);
  }
}

function readWhy(kept: string): Omit<Wait, 'ms'> {
  const [, mark, kind, why] = WHY.exec(kept) ?? [];
  if (why === undefined) return {};
  const trouble = TROUBLES.find((known) => known === kind);
  return { why, ...(trouble === undefined ? {} : { trouble, isGivenUp: mark === '!' }) };
}

type Keys = readonly [next: string, busy: string, why: string, health: string];

/** All keys of a host are in one slot of a Redis cluster. */
const keysOf = (host: string): Keys => [
  `pace:{${host}}:next`,
  `pace:{${host}}:busy`,
  `pace:{${host}}:why`,
  `pace:{${host}}:health`,
];
