import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  ARCHIVE_ADDR: z.string(),
  CRAWL_ADDR: z.string(),
  DIFF_ADDR: z.string(),
  MAP_ADDR: z.string(),
  /** Files that one process encodes at a time, shared fairly between workspaces. */
  MAX_CONCURRENT_FILES: z.coerce.number().int().min(1).max(64).default(8),
  /** Batches that the files of one process read at a time. A process that other services share needs 1: more delay their requests. */
  MAX_CONCURRENT_READS: z.coerce.number().int().min(1).max(64).default(8),
  /** Syncs that one process writes at a time. */
  MAX_CONCURRENT_SYNCS: z.coerce.number().int().min(1).max(64).default(4),
  /** Encryption keys for secrets at rest: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs to which connections are allowed although they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
} as const;
