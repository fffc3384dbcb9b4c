import type { Redis } from 'ioredis';

export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

const WINDOW_MS = 60_000;
const MAX_LOCAL_KEYS = 10_000;

/** Increments the counter and sets its expiry on the first request of a window, in one round trip. */
const COUNT =
  "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end return {n, redis.call('PTTL', KEYS[1])}";

/**
 * Fixed-window rate limiter per key: one minute, counted in Redis for all gateway instances. Fails open: without Redis each
 * instance counts on its own, so that a Redis outage does not take the service down.
 */
export class RateLimiter {
  readonly #redis: Redis;
  readonly #local = new Map<string, { count: number; endsAtMs: number }>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async take(keyId: string, limit: number): Promise<RateWindow> {
    const { count, leftMs } = await this.#count(keyId);
    return {
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
      exceeded: count > limit,
    };
  }

  async #count(keyId: string): Promise<{ count: number; leftMs: number }> {
    if (this.#redis.status !== 'ready') return this.#countHere(keyId);
    try {
      const answer: unknown = await this.#redis.eval(COUNT, 1, `rate:${keyId}`, WINDOW_MS);
      const [count, leftMs] = Array.isArray(answer) ? answer.map(Number) : [];
      return count === undefined || leftMs === undefined ? this.#countHere(keyId) : { count, leftMs };
    } catch {
      return this.#countHere(keyId);
    }
  }

  #countHere(keyId: string): { count: number; leftMs: number } {
    const now = Date.now();
    if (this.#local.size > MAX_LOCAL_KEYS) this.#local.clear();
    const window = this.#local.get(keyId);
    const current = window === undefined || window.endsAtMs <= now ? { count: 0, endsAtMs: now + WINDOW_MS } : window;
    current.count += 1;
    this.#local.set(keyId, current);
    return { count: current.count, leftMs: current.endsAtMs - now };
  }
}
