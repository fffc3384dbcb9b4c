import type { Logger } from '@tidemark/service';
import { Redis } from 'ioredis';
import { type HostLimiter, halfOf } from './host-limiter.ts';
import { LocalHostLimiter } from './local-host-limiter.ts';
import { PermitReuse } from './permit-reuse.ts';
import { RedisHostLimiter } from './redis-host-limiter.ts';

interface Around {
  readonly config: { readonly REDIS_URL?: string | undefined };
  readonly log: Logger;
  own<T extends { close(): unknown }>(resource: T): T;
}

const HALF = 'this process keeps half of the pace of each host';

/**
 * Opens the host limiter, shared by the fleet through Redis. Without Redis, or while it is unavailable, each process
 * keeps half of the pace; the log says so once per loss.
 */
export function openHostLimiter({ config, log, own }: Around): HostLimiter {
  const local = new LocalHostLimiter({ share: halfOf });
  if (config.REDIS_URL === undefined) {
    log.warn(`REDIS_URL is not set: ${HALF}`);
    return local;
  }
  const redis = new Redis(config.REDIS_URL, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
  });
  let isReported = false;
  const report = (error?: Error) => {
    if (!isReported) log.warn({ err: error }, `redis is unavailable: ${HALF} until it is back`);
    isReported = true;
  };
  redis.on('error', report);
  redis.on('close', () => report());
  redis.on('ready', () => {
    isReported = false;
  });
  own({
    close: () => {
      // The connection that closes now is no loss.
      isReported = true;
      redis.disconnect();
    },
  });
  return new PermitReuse(new RedisHostLimiter(redis, local));
}
