import type { Logger } from '@tidemark/service';
import { Redis } from 'ioredis';
import type { HostLimiter } from './host-limiter.ts';
import { LocalHostLimiter } from './local-host-limiter.ts';
import { PermitReuse } from './permit-reuse.ts';
import { RedisHostLimiter } from './redis-host-limiter.ts';

interface Around {
  readonly config: { readonly REDIS_URL?: string | undefined };
  readonly log: Logger;
  own<T extends { close(): unknown }>(resource: T): T;
}

/** Opens the host limiter: shared by the fleet if Redis is configured, otherwise local to this process. */
export function openHostLimiter({ config, log, own }: Around): HostLimiter {
  const local = new LocalHostLimiter();
  if (config.REDIS_URL === undefined) return local;
  const redis = new Redis(config.REDIS_URL, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
  });
  // Logged once per loss of the connection.
  redis.on('error', (error) => log.debug({ err: error }, 'redis is unavailable, hosts are limited per process'));
  own({ close: () => redis.disconnect() });
  return new PermitReuse(new RedisHostLimiter(redis, local));
}
