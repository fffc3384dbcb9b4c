import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { createHttpClient, type EgressGuard, openTunnel } from '@tidemark/egress';
import { type Logger, parseListen } from '@tidemark/service';
import { Redis } from 'ioredis';
import { ConnectEndpoint } from './connect-endpoint.ts';
import { checkParity, probe } from './exit-checks.ts';
import { ExitLeases } from './exit-leases.ts';
import { type Exit, parseExits } from './exit-list.ts';
import type { ExitStore } from './exit-store.ts';
import { Exits } from './exits.ts';
import { LocalExitStore } from './local-exit-store.ts';
import { RedisExitStore } from './redis-exit-store.ts';

export interface ExitsConfig {
  readonly TIDEMARK_EXITS: string;
  readonly TIDEMARK_PARITY_URL?: string | undefined;
  readonly TIDEMARK_USER_AGENT: string;
  readonly REDIS_URL?: string | undefined;
  readonly EXIT_PROXY_LISTEN: string;
  readonly EXIT_PROXY_HOST?: string | undefined;
  readonly EXIT_PROXY_TUNNELS: number;
}

interface ExitsDependencies {
  readonly config: ExitsConfig;
  readonly guard: EgressGuard;
  readonly log: Logger;
  own<T extends { close(): unknown }>(resource: T): T;
}

/** Where other services reach the CONNECT endpoint of this instance. */
export interface ProxyAddress {
  readonly host: string;
  readonly port: number;
}

export interface OpenExits {
  readonly exits: Exits;
  readonly leases: ExitLeases;
  /** Undefined without exits: the endpoint is then not opened. */
  readonly proxy: ProxyAddress | undefined;
}

const CHECK_EVERY_MS = 5_000;
/** Maximum wait for Redis at start, ms. */
const REDIS_START_MS = 1_000;

/** Opens the configured exits: their state, checks and CONNECT endpoint. @throws RangeError for an invalid configuration */
export async function openExits({ config, guard, log, own }: ExitsDependencies): Promise<OpenExits> {
  const { TIDEMARK_PARITY_URL: parityUrl } = config;
  const list = parseExits(config.TIDEMARK_EXITS);
  const store = list.length === 0 ? new LocalExitStore() : await openStore(config.REDIS_URL, log, own);
  const client = own(createHttpClient(guard, { headers: { 'user-agent': config.TIDEMARK_USER_AGENT } }));
  const exits = own(
    new Exits(list, {
      store,
      now: Date.now,
      random: Math.random,
      probe: (exit) => probe(client, parityUrl, exit),
      ...(parityUrl === undefined ? {} : { checkParity: (exit: Exit) => checkParity(client, parityUrl, exit) }),
    }),
  );
  const leases = new ExitLeases(store);
  if (exits.isEmpty) return { exits, leases, proxy: undefined };
  exits.start(CHECK_EVERY_MS);
  const endpoint = own(
    await ConnectEndpoint.listen(config.EXIT_PROXY_LISTEN, {
      guard,
      openTunnel,
      leases,
      exits,
      maxTunnels: config.EXIT_PROXY_TUNNELS,
      log,
    }),
  );
  const host = config.EXIT_PROXY_HOST ?? reachableHost(parseListen(config.EXIT_PROXY_LISTEN).host);
  return { exits, leases, proxy: { host, port: endpoint.port } };
}

async function openStore(redisUrl: string | undefined, log: Logger, own: ExitsDependencies['own']): Promise<ExitStore> {
  const local = new LocalExitStore();
  if (redisUrl === undefined) return local;
  const redis = new Redis(redisUrl, {
    // With the default, a lost connection keeps the process alive for two seconds.
    disconnectTimeout: 250,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
  });
  redis.on('error', (error) => log.debug({ err: error }, 'redis unavailable, exit health is kept by this instance'));
  own({ close: () => redis.disconnect() });
  // The first leases must use the shared state.
  await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_START_MS) }).catch(() => undefined);
  return new RedisExitStore(redis, local, log);
}

/** Returns the address of this machine if the endpoint listens on all addresses. */
function reachableHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = addresses.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const [chosen] = [...outer.filter(({ family }) => family === 'IPv4'), ...outer];
  return chosen?.address ?? '127.0.0.1';
}
