import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** file:// folder or s3:// bucket. */
  BLOB_URL: z.string(),
  BILLING_ADDR: z.string(),
  /** Hosts, host:port or CIDRs that may be fetched though they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Maps under way at once in this process. */
  MAX_MAPS: z.coerce.number().int().min(1).default(8),
  /** Maps that may wait for their turn; more are refused. */
  MAX_WAITING: z.coerce.number().int().min(0).default(200),
  /** Files read at once from one host. */
  FILES_AT_ONCE: z.coerce.number().int().min(1).default(4),
} as const;
