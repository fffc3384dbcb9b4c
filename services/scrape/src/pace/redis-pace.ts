import type { Redis } from 'ioredis';
import { z } from 'zod';
import { BUSY_MS, type HostState, type Pace, type PaceKeeper, TURN_MS, type Turn, type Wait } from './pace-keeper.ts';
import { FORGET_MS, GIVEN_UP_MS, type Outcome, PATIENCE, TROUBLES } from './patience.ts';
import { freeSilent, SILENT_MS, TurnOwner } from './turn-owner.ts';

/** Every script goes by the clock of Redis alone. */
const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/**
 * One turn: the ends of turns in a sorted set, the next allowed start beside it. Answers 0 for a turn; the milliseconds to wait for a
 * start that is not yet due, and why; -1 where all turns are taken: one alone, where the host has been failing.
 */
const ASK = `
${NOW}
local next = tonumber(redis.call('GET', KEYS[1]) or '0')
if next > now then return {next - now, redis.call('GET', KEYS[3]) or ''} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
${freeSilent('KEYS[2]', 'KEYS[5]')}
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

/** One more failure, as \`failedAgain\` takes it. Answers 0: up, 1: held, 2: given up. */
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

/** Why a host is left alone, as it is kept: a mark where it is given up, how it fails, and the reason in words. */
const WHY = /^(!?)(\w*):(.*)$/s;
const Answer = z.tuple([z.number(), z.string()]);
const STATES: readonly HostState[] = ['up', 'held', 'given_up'];

/**
 * The pace of hosts over the whole fleet. Where Redis is away, each process keeps the pace for itself: hosts are asked a little
 * faster than agreed, by as many processes as there are, and nothing stops.
 */
export class RedisPace implements PaceKeeper {
  readonly #redis: Redis;
  readonly #alone: PaceKeeper;
  readonly #patience: typeof PATIENCE;
  readonly #owner: TurnOwner;

  constructor(redis: Redis, alone: PaceKeeper, patience = PATIENCE) {
    this.#redis = redis;
    this.#alone = alone;
    this.#patience = patience;
    this.#owner = new TurnOwner(redis);
  }

  async ask(host: string, pace: Pace): Promise<Turn | Wait> {
    if (this.#redis.status !== 'ready') return this.#alone.ask(host, pace);
    const keys = keysOf(host);
    const owners = `pace:{${host}}:owners`;
    const token = this.#owner.token();
    const told = [pace.concurrency, pace.delayMs, TURN_MS, token, this.#owner.id, SILENT_MS];
    try {
      const [ms, why] = Answer.parse(await this.#redis.eval(ASK, 5, ...keys, owners, ...told));
      if (ms < 0) return { ms: BUSY_MS };
      if (ms === 0) {
        this.#owner.took(owners);
        return {
          done: (outcome) => {
            this.#owner.gaveBack(owners);
            return this.#done(keys, token, outcome);
          },
        };
      }
      return { ms, ...readWhy(why) };
    } catch {
      return this.#alone.ask(host, pace);
    }
  }

  /** A turn that can't be given back ends by itself. */
  async #done(keys: Keys, token: string, outcome: Outcome | undefined): Promise<HostState> {
    try {
      if (outcome === undefined) await this.#redis.zrem(keys[1], token);
      else if (outcome === 'answered') await this.#redis.eval(ANSWERED, 4, ...keys, token);
      else {
        const { fails, firstMs, mostMs, rounds } = this.#patience[outcome.trouble];
        const told = [
          token,
          TURN_MS,
          fails,
          firstMs,
          mostMs,
          rounds,
          GIVEN_UP_MS,
          FORGET_MS,
          `${outcome.trouble}:${outcome.why}`,
        ];
        return STATES[Number(await this.#redis.eval(FAILED, 4, ...keys, ...told))] ?? 'up';
      }
    } catch {
      // Redis is away: what the fetch says of its host is lost with the rest of what it knew.
    }
    return 'up';
  }

  async hold(host: string, ms: number, why = ''): Promise<void> {
    await this.#alone.hold(host, ms, why);
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

/** All keys of a host lie in one slot of a Redis cluster. */
const keysOf = (host: string): Keys => [
  `pace:{${host}}:next`,
  `pace:{${host}}:busy`,
  `pace:{${host}}:why`,
  `pace:{${host}}:health`,
];
