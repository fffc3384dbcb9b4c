import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

export interface RateWindow {
  /** Whose limit this is. */
  readonly of: 'key' | 'workspace';
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** The two windows that a request is counted in, with their limits in requests per minute. */
export interface RateSubject {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly keyRpm: number;
  readonly workspaceRpm: number;
}

interface Count {
  readonly count: number;
  readonly leftMs: number;
}

interface Counts {
  readonly key: Count;
  /** Undefined if the key has exceeded its own limit; the request is then not counted for the workspace. */
  readonly workspace: Count | undefined;
}

const WINDOW_MS = 60_000;
/** Maximum number of windows counted in memory; each subject has two. */
const MAX_LOCAL_WINDOWS = 20_000;

/**
 * Counts a request for its key and then for its workspace, and starts windows, in one round trip. A request over the limit of its key is
 * not counted for the workspace, so that a key cannot use up more of the workspace's window than its own limit.
 */
const COUNT = `
local function take(name)
  local n = redis.call('INCR', name)
  if n == 1 then redis.call('PEXPIRE', name, ARGV[1]) end
  return n, redis.call('PTTL', name)
end
local n, left = take(KEYS[1])
if n > tonumber(ARGV[2]) then return {n, left} end
return {n, left, take(KEYS[2])}`;

/**
 * Fixed-window rate limiter: one minute per key and one per workspace, counted in Redis for all gateway instances. Fails open: without
 * Redis each instance counts on its own, so that a Redis outage does not take the service down.
 */
export class RateLimiter {
  readonly #redis: Redis;
  readonly #local = new LRUCache<string, { count: number; endsAtMs: number }>({ max: MAX_LOCAL_WINDOWS });

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Counts a request. Returns the tighter of the two windows: the exceeded one, else the one with fewer requests left. */
  async take(subject: RateSubject): Promise<RateWindow> {
    const { key, workspace } = await this.#count(subject);
    const ofKey = windowOf('key', subject.keyRpm, key);
    if (workspace === undefined) return ofKey;
    const ofWorkspace = windowOf('workspace', subject.workspaceRpm, workspace);
    return ofWorkspace.exceeded || ofWorkspace.remaining < ofKey.remaining ? ofWorkspace : ofKey;
  }

  async #count(subject: RateSubject): Promise<Counts> {
    if (this.#redis.status !== 'ready') return this.#countHere(subject);
    try {
      const { workspaceId, keyId, keyRpm } = subject;
      // The hash tag places both windows on one node of a cluster.
      const names = [`rate:{${workspaceId}}:${keyId}`, `rate:{${workspaceId}}`];
      const response: unknown = await this.#redis.eval(COUNT, names.length, ...names, WINDOW_MS, keyRpm);
      const [count, leftMs, total, totalLeftMs] = Array.isArray(response) ? response.map(Number) : [];
      if (count === undefined || leftMs === undefined) return this.#countHere(subject);
      const workspace =
        total === undefined || totalLeftMs === undefined ? undefined : { count: total, leftMs: totalLeftMs };
      return { key: { count, leftMs }, workspace };
    } catch {
      return this.#countHere(subject);
    }
  }

  #countHere({ workspaceId, keyId, keyRpm }: RateSubject): Counts {
    const key = this.#takeHere(`${workspaceId}:${keyId}`);
    return { key, workspace: key.count > keyRpm ? undefined : this.#takeHere(workspaceId) };
  }

  #takeHere(name: string): Count {
    const now = Date.now();
    const window = this.#local.get(name);
    const current = window === undefined || window.endsAtMs <= now ? { count: 0, endsAtMs: now + WINDOW_MS } : window;
    current.count += 1;
    this.#local.set(name, current);
    return { count: current.count, leftMs: current.endsAtMs - now };
  }
}

const windowOf = (of: RateWindow['of'], limit: number, { count, leftMs }: Count): RateWindow => ({
  of,
  limit,
  remaining: Math.max(0, limit - count),
  resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  exceeded: count > limit,
});
