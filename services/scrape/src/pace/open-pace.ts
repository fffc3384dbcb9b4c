import type { Logger } from '@tidemark/service';
import { Redis } from 'ioredis';
import { HandingPace } from './handing-pace.ts';
import { LocalPace } from './local-pace.ts';
import type { PaceKeeper } from './pace-keeper.ts';
import { RedisPace } from './redis-pace.ts';

interface Around {
  readonly config: { readonly REDIS_URL?: string | undefined };
  readonly log: Logger;
  own<T extends { close(): unknown }>(resource: T): T;
}

/** The pace of hosts: over the whole fleet where there is Redis, in this process alone otherwise. */
export function openPace({ config, log, own }: Around): PaceKeeper {
  const alone = new LocalPace();
  if (config.REDIS_URL === undefined) return alone;
  const redis = new Redis(config.REDIS_URL, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
  });
  // Told once per loss; the status says whether it is back.
  redis.on('error', (error) => log.debug({ err: error }, 'redis is away; hosts are paced by this process alone'));
  own({ close: () => redis.disconnect() });
  return new HandingPace(new RedisPace(redis, alone));
}
