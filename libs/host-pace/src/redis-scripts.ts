import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LATENCY } from './latency.ts';
import { releaseExpired } from './permit-owner.ts';

/** A script, sent once to each server and then named by its hash. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

const scriptOf = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** All scripts use the clock of Redis, ms. */
const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/** Keys of a host, the same for every script: next start, permits, reason of the hold, health, owners of permits, latency. */
const LATENCY_DELAY = `
local function latencyDelay(average, usual, most)
  if not average then return 0 end
  local normal = math.max(${LATENCY.fastMs}, ${LATENCY.tolerance} * usual)
  if average <= normal then return 0 end
  return math.min(${LATENCY.maxDelayMs}, average / math.max(1, most * normal / average))
end`;

/**
 * Acquires a permit. Permits are members of a sorted set with their expiry as score; the next allowed start is a
 * separate key. Returns the milliseconds until the next start (0: the permit was granted; -1: no permit is free), the
 * reason of the wait, and the delay after the granted start. A host that has failed has one permit. The last start is
 * compared too, so that a job with a delay keeps it after a start of a job without one.
 */
export const ACQUIRE = scriptOf(`
${NOW}
${LATENCY_DELAY}
local next = tonumber(redis.call('GET', KEYS[1]) or '0')
if next > now then return {next - now, redis.call('GET', KEYS[3]) or '', 0} end
local most = tonumber(ARGV[1]) if tonumber(redis.call('HGET', KEYS[4], 'round') or '0') > 0 then most = 1 end
local known = redis.call('HMGET', KEYS[6], 'average', 'usual', 'last')
local delay = math.ceil(math.max(tonumber(ARGV[2]), latencyDelay(tonumber(known[1] or nil), tonumber(known[2] or nil), most)))
local last = tonumber(known[3] or nil) or 0
if last + delay > now then return {last + delay - now, '', delay} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
${releaseExpired('KEYS[2]', 'KEYS[5]')}
if redis.call('ZCARD', KEYS[2]) >= most then return {-1, '', 0} end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[4]) redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[5], now + ARGV[6], ARGV[5]) redis.call('PEXPIRE', KEYS[5], ARGV[3])
redis.call('HSET', KEYS[6], 'last', now) redis.call('PEXPIRE', KEYS[6], ARGV[7])
if delay > 0 then redis.call('SET', KEYS[1], now + delay, 'PX', delay) end
return {0, '', delay}`);

export const HOLD = scriptOf(`
${NOW}
local till = now + ARGV[1]
if tonumber(redis.call('GET', KEYS[1]) or '0') < till then
  redis.call('SET', KEYS[1], till, 'PX', ARGV[1])
  if ARGV[2] == '' then redis.call('DEL', KEYS[3]) else redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[1]) end
end`);

/** Records the latency in ARGV[1], ms, as `withSample` does; ARGV[2] is 1 for an error. Nothing if ARGV[1] is empty. */
const SAMPLE = `
if ARGV[1] ~= '' then
  local ms, isError = tonumber(ARGV[1]), ARGV[2] == '1'
  local known = redis.call('HMGET', KEYS[6], 'average', 'usual')
  local average, usual = tonumber(known[1] or nil), tonumber(known[2] or nil)
  if not average then
    if not isError then redis.call('HSET', KEYS[6], 'average', ms, 'usual', ms) end
  elseif not isError or ms > average then
    ms = math.min(ms, math.max(${LATENCY.fastMs}, ${LATENCY.sampleMax} * average))
    average = average + (ms - average) * ${LATENCY.averageShare}
    usual = math.min(average, usual + math.max(0, average - usual) * ${LATENCY.usualRise})
    redis.call('HSET', KEYS[6], 'average', average, 'usual', usual)
  end
end`;

export const ANSWERED = scriptOf(`
${SAMPLE}
redis.call('ZREM', KEYS[2], ARGV[3]) redis.call('DEL', KEYS[4])`);

/** Records one more failure, as `failedAgain` does. Returns 0: up, 1: held, 2: given up. */
export const FAILED = scriptOf(`
${NOW}
${SAMPLE}
local ends = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[3]) or now + ARGV[4]) redis.call('ZREM', KEYS[2], ARGV[3])
local known = redis.call('HMGET', KEYS[4], 'fails', 'round', 'until')
local fails, round, til = tonumber(known[1] or '0') + 1, tonumber(known[2] or '0'), tonumber(known[3] or '0')
local rounds = tonumber(ARGV[8])
if ends - ARGV[4] < til then if round > rounds then return 2 end return 1 end
local held = 0
if round > 0 or fails >= tonumber(ARGV[5]) then
  round = math.min(round + 1, rounds + 1) fails = 0 held = math.min(tonumber(ARGV[7]), tonumber(ARGV[6]) * 2 ^ (round - 1))
  if round > rounds then held = tonumber(ARGV[9]) end
  til = now + held
  if tonumber(redis.call('GET', KEYS[1]) or '0') < til then
    redis.call('SET', KEYS[1], til, 'PX', held) redis.call('SET', KEYS[3], (round > rounds and '!' or '') .. ARGV[11], 'PX', held)
  end
end
redis.call('HSET', KEYS[4], 'fails', fails, 'round', round, 'until', til) redis.call('PEXPIRE', KEYS[4], ARGV[10])
if round > rounds then return 2 end
if round > 0 then return 1 end
return 0`);

/** Runs a script by its hash, and sends its text to a server that does not have it. */
export async function runScript(
  redis: Redis,
  { text, sha }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(text, keys.length, ...keys, ...args);
  }
}
