import type { ContinuedJobs } from '@tidemark/firecrawl';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

/** Maximum number of jobs remembered in memory; the oldest is discarded first. */
const MAX_JOBS = 1_000;
const KEPT_SECONDS = 600;

const redisKey = (name: string): string => `firecrawl:continued:${name}`;

/**
 * Keeps the continued jobs of Firecrawl's interface in Redis, for all gateway instances. Fails open: without Redis each instance remembers its
 * own, and an outage costs at most a second job.
 */
export class ContinuedJobStore implements ContinuedJobs {
  readonly #redis: Redis | undefined;
  readonly #local = new LRUCache<string, string>({ max: MAX_JOBS, ttl: KEPT_SECONDS * 1_000 });

  constructor(redis?: Redis) {
    this.#redis = redis;
  }

  async find(name: string): Promise<string | undefined> {
    // Another instance may have removed the job, so Redis comes before memory.
    const shared = await this.#onRedis((redis) => redis.get(redisKey(name)));
    if (shared !== undefined) return shared ?? undefined;
    return this.#local.get(name);
  }

  async keep(name: string, id: string): Promise<void> {
    this.#local.set(name, id);
    await this.#onRedis((redis) => redis.set(redisKey(name), id, 'EX', KEPT_SECONDS));
  }

  async remove(name: string): Promise<void> {
    this.#local.delete(name);
    await this.#onRedis((redis) => redis.del(redisKey(name)));
  }

  /** @returns undefined without Redis */
  async #onRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (this.#redis?.status !== 'ready') return undefined;
    return work(this.#redis).catch(() => undefined);
  }
}
