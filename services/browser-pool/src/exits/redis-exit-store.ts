import type { Logger } from '@tidemark/service';
import type { Redis } from 'ioredis';
import { type Change, type ExitStore, type Kind, RECENT_HOSTS, type Records, SHAPES, TTL_MS } from './exit-store.ts';
import type { HostRecord } from './host-record.ts';
import type { LocalExitStore } from './local-exit-store.ts';

/** Replaces a record if it is unchanged since it was read (empty: absent). Returns 1 if written. */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;
/** Attempts of one change; an attempt fails if another instance changes the record concurrently. */
const MAX_ATTEMPTS = 20;
const RECENT_KEY = 'exits:{fleet}:recent-hosts';

const keyOf = (kind: Kind, key: string): string => `exits:{fleet}:${kind}:${key}`;

/**
 * The state of the exits in Redis, shared by all instances. While Redis is unavailable, each instance continues with the
 * records that it last wrote.
 */
export class RedisExitStore implements ExitStore {
  readonly #redis: Redis;
  readonly #local: LocalExitStore;
  readonly #log: Logger;
  /** The pending change of each record, so that changes of this instance do not conflict with each other. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(redis: Redis, local: LocalExitStore, log: Logger) {
    this.#redis = redis;
    this.#local = local;
    this.#log = log;
  }

  read<K extends Kind>(kind: K, keys: readonly string[]): Promise<readonly (Records[K] | undefined)[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.#withLocalFallback(
      async () => {
        const texts = await this.#redis.mget(keys.map((key) => keyOf(kind, key)));
        return texts.map((text) => parsed(kind, text));
      },
      () => this.#local.read(kind, keys),
    );
  }

  async update<K extends Kind>(kind: K, key: string, change: Change<Records[K]>): Promise<Records[K] | undefined> {
    const redisKey = keyOf(kind, key);
    const previous = this.#pending.get(redisKey);
    const run = async (): Promise<Records[K] | undefined> => {
      await previous;
      return this.#withLocalFallback(
        () => this.#replace(kind, key, change),
        () => this.#local.update(kind, key, change),
      );
    };
    const running = run().finally(() => {
      if (this.#pending.get(redisKey) === running) this.#pending.delete(redisKey);
    });
    this.#pending.set(redisKey, running);
    return running;
  }

  async put<K extends Kind>(kind: K, key: string, record: Records[K]): Promise<void> {
    await this.#local.put(kind, key, record);
    await this.#withLocalFallback(
      async () => void (await this.#redis.set(keyOf(kind, key), JSON.stringify(record), 'PX', TTL_MS[kind])),
      async () => undefined,
    );
  }

  async remove(kind: Kind, key: string): Promise<void> {
    await this.#local.remove(kind, key);
    await this.#withLocalFallback(
      async () => void (await this.#redis.del(keyOf(kind, key))),
      async () => undefined,
    );
  }

  recentHosts(): Promise<ReadonlyMap<string, HostRecord>> {
    return this.#withLocalFallback(
      async () => {
        const hosts = await this.#redis.zrevrange(RECENT_KEY, 0, RECENT_HOSTS - 1);
        const records = await this.read('host', hosts);
        return new Map(
          hosts.flatMap((host, index) => {
            const record = records[index];
            return record === undefined ? [] : [[host, record] as const];
          }),
        );
      },
      () => this.#local.recentHosts(),
    );
  }

  async #replace<K extends Kind>(kind: K, key: string, change: Change<Records[K]>): Promise<Records[K] | undefined> {
    const redisKey = keyOf(kind, key);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const text = (await this.#redis.get(redisKey)) ?? '';
      const next = change(parsed(kind, text));
      if (next === undefined) return undefined;
      const written = await this.#redis.eval(REPLACE, 1, redisKey, text, JSON.stringify(next), TTL_MS[kind]);
      if (written !== 1) continue;
      await this.#local.put(kind, key, next);
      if (kind === 'host') await this.#noteRecent(key);
      return next;
    }
    this.#log.warn({ kind }, 'exit state update failed: too many concurrent changes');
    return undefined;
  }

  async #noteRecent(host: string): Promise<void> {
    await this.#redis
      .pipeline()
      .zadd(RECENT_KEY, Date.now(), host)
      .zremrangebyrank(RECENT_KEY, 0, -RECENT_HOSTS - 1)
      .pexpire(RECENT_KEY, TTL_MS.host)
      .exec();
  }

  async #withLocalFallback<T>(inRedis: () => Promise<T>, locally: () => Promise<T>): Promise<T> {
    if (this.#redis.status !== 'ready') return locally();
    try {
      return await inRedis();
    } catch (error) {
      this.#log.debug({ err: error }, 'redis call failed, using the exit state of this instance');
      return locally();
    }
  }
}

/** A record that cannot be parsed, such as one of an older version, counts as absent. */
function parsed<K extends Kind>(kind: K, text: string | null): Records[K] | undefined {
  if (text === null || text === '') return undefined;
  try {
    return SHAPES[kind].safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
