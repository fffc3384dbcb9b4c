import { availableParallelism } from 'node:os';
import { RECONCILE_MS } from '@tidemark/jobs';
import type { App, ConfigOf } from '@tidemark/service';
import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** Blob store: `file://` folder or `s3://` bucket. */
  BLOB_URL: z.string(),
  BILLING_ADDR: z.string(),
  BROWSER_POOL_ADDR: z.string(),
  ARCHIVE_ADDR: z.string(),
  /** Redis, by which the pace of hosts is kept over the whole fleet; without it each process keeps half of it. */
  REDIS_URL: z.string().optional(),
  /** Keys that seal webhooks, headers, cookies and saved sessions: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs that may be fetched although they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
  /** Path of the operator's plan catalogue, with prices and the ladder. @defaultValue the bundled catalogue */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Captures under way at once in this process. */
  MAX_CAPTURES: z.coerce.number().int().min(1).default(64),
  /** Captures that may wait for their turn; more are refused. */
  MAX_WAITING: z.coerce.number().int().min(0).default(1_000),
  /** Hosts of batches worked on at once in this process. */
  BATCH_HOSTS: z.coerce.number().int().min(1).default(16),
  /** Pieces of runs, of up to eight pages each, worked on at once in this process. */
  RUN_PIECES: z.coerce.number().int().min(1).default(32),
  /** Interval at which leases of single captures are renewed and expired ones claimed, ms. */
  RECONCILE_MS: z.coerce.number().int().min(10).max(5_000).default(RECONCILE_MS),
  /** Threads that parse pages. @defaultValue one per core, at most four */
  READ_THREADS: z.coerce.number().int().min(1).default(Math.min(4, availableParallelism())),
} as const;

/** The app of this service, as its composition root receives it. */
export type ScrapeApp = App<ConfigOf<typeof config>>;
