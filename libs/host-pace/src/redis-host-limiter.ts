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
import { OWNER_EXPIRY_MS, PermitOwner } from './permit-owner.ts';
import { ACQUIRE, ANSWERED, FAILED, HOLD, runScript } from './redis-scripts.ts';

/** Stored reason of a hold: a mark if the host is given up, the kind of failure, and the text. */
const WHY = /^(!?)(\w*):(.*)$/s;
const ApiResponse = z.tuple([z.number(), z.string(), z.number()]);
const STATES: readonly HostState[] = ['up', 'held', 'given_up'];

/** Limits hosts over the whole fleet. If Redis is unavailable, each process limits hosts on its own with `local`. */
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
    const token = this.#owner.token();
    const { concurrency, delayMs } = pace;
    const args = [concurrency, delayMs, PERMIT_MS, token, this.#owner.id, OWNER_EXPIRY_MS, HISTORY_MS];
    try {
      const [ms, why, grantedDelayMs] = ApiResponse.parse(await runScript(this.#redis, ACQUIRE, keys, args));
      if (ms < 0) return { ms: BUSY_MS };
      if (ms > 0) return { ms, ...readWhy(why) };
      this.#owner.onAcquired(keys[4]);
      return {
        delayMs: grantedDelayMs,
        release: (report) => {
          this.#owner.onReleased(keys[4]);
          return this.#release(keys, token, report);
        },
      };
    } catch {
      this.#owner.abandon(keys[1], token);
      return this.#local.acquire(host, pace);
    }
  }

  async #release(keys: Keys, token: string, report: HostReport | undefined): Promise<HostState> {
    try {
      if (report === undefined) {
        await this.#redis.zrem(keys[1], token);
        return 'up';
      }
      if (report.kind === 'unused') {
        await Promise.all([this.#redis.zrem(keys[1], token), this.#redis.hdel(keys[5], 'last')]);
        return 'up';
      }
      const sample = report.latency === undefined ? ['', ''] : [report.latency.ms, report.latency.isError ? 1 : 0];
      if (report.kind === 'answered') {
        await runScript(this.#redis, ANSWERED, keys, [...sample, token]);
        return 'up';
      }
      const { fails, firstMs, mostMs, rounds } = this.#policies[report.trouble];
      const policy = [fails, firstMs, mostMs, rounds, GIVEN_UP_MS, HISTORY_MS];
      const args = [...sample, token, PERMIT_MS, ...policy, `${report.trouble}:${report.why}`];
      return STATES[Number(await runScript(this.#redis, FAILED, keys, args))] ?? 'up';
    } catch {
      // Redis is unavailable: the report is lost.
      this.#owner.abandon(keys[1], token);
      return 'up';
    }
  }

  async hold(host: string, ms: number, why = ''): Promise<void> {
    await this.#local.hold(host, ms, why);
    if (this.#redis.status !== 'ready') return;
    const args = [Math.ceil(ms), why === '' ? '' : `:${why}`];
    await runScript(this.#redis, HOLD, keysOf(host), args).catch(() => undefined);
  }
}

function readWhy(kept: string): Omit<Wait, 'ms'> {
  const [, mark, kind, why] = WHY.exec(kept) ?? [];
  if (why === undefined) return {};
  const trouble = TROUBLES.find((known) => known === kind);
  return { why, ...(trouble === undefined ? {} : { trouble, isGivenUp: mark === '!' }) };
}

type Keys = readonly [next: string, busy: string, why: string, health: string, owners: string, latency: string];

/** All keys of a host are in one slot of a Redis cluster. */
const keysOf = (host: string): Keys => [
  `pace:{${host}}:next`,
  `pace:{${host}}:busy`,
  `pace:{${host}}:why`,
  `pace:{${host}}:health`,
  `pace:{${host}}:owners`,
  `pace:{${host}}:latency`,
];
