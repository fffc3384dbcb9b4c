import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** Blob store: `file://` folder or `s3://` bucket. */
  BLOB_URL: z.string(),
  BILLING_ADDR: z.string(),
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
  /** Maps that run concurrently in this process. */
  MAX_MAPS: z.coerce.number().int().min(1).default(8),
  /** Queue length; further maps are refused. */
  MAX_WAITING: z.coerce.number().int().min(0).default(200),
  /** The pace of hosts, shared by the fleet; without it this process keeps half of it. */
  REDIS_URL: z.string().optional(),
  /** Concurrent requests per host, of the whole fleet. */
  FILES_AT_ONCE: z.coerce.number().int().min(1).default(4),
  /** Retention of snapshots, days. The newest two of a project and its newest complete one are kept without limit. */
  SNAPSHOT_DAYS: z.coerce.number().int().min(1).default(90),
  /** Interval of the retention sweep, seconds. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(60),
  /** Time an unreferenced document stays in the trash, hours. Must exceed the duration of any map. */
  BLOB_ASIDE_HOURS: z.coerce.number().int().min(1).default(24),
} as const;
