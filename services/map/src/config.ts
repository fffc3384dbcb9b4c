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
  /** Days snapshots are kept; the newest two of a project, and its newest whole one, always stay. */
  SNAPSHOT_DAYS: z.coerce.number().int().min(1).default(90),
  /** Seconds between two looks for what has had its time. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(60),
  /** Hours a document nobody names is set aside for before it is destroyed: longer than any map takes. */
  BLOB_ASIDE_HOURS: z.coerce.number().int().min(1).default(24),
} as const;
