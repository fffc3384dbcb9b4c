import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  BILLING_ADDR: z.string(),
  ARCHIVE_ADDR: z.string(),
  MAP_ADDR: z.string(),
  /** Whether exits are configured there decides what a page may cost. */
  BROWSER_POOL_ADDR: z.string(),
  /** Keys that seal secrets at rest: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs that may be fetched though they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** A catalogue of the operator's own; the bundled one otherwise. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Runs conducted at once by this process; more wait, the workspaces in turn. */
  MAX_RUNS: z.coerce.number().int().min(1).default(32),
} as const;
