import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** Blob store: `file://` folder or `s3://` bucket. */
  BLOB_URL: z.string(),
  /** Days the pages of scrapes and batches are kept; pages of a run are deleted after crawl discards it. */
  RETENTION_DAYS: z.coerce.number().int().min(1).default(90),
  /** Interval of the retention sweep, seconds. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(60),
  /** Hours an unreferenced blob stays in the trash before it is deleted. Must exceed the time a row that references it may be delayed. */
  BLOB_ASIDE_HOURS: z.coerce.number().int().min(1).default(24),
  /** Minutes the bus must have been reachable before blobs are collected: delayed rows arrive in that time. */
  CATCH_UP_MINUTES: z.coerce.number().min(0).default(30),
  /** Interval of the scan for ended runs that are not listed yet, seconds. An event of a run's end starts a scan at once. */
  LIST_SECONDS: z.coerce.number().min(0.05).default(5),
  /** Seconds after which the words of a run's pages are sketched: searches before that read the pages themselves. */
  SKETCH_AFTER_SECONDS: z.coerce.number().min(0).default(15),
  /** Time limit of one search call, ms; the next call continues the scan. */
  SEARCH_MS: z.coerce.number().int().min(10).default(150),
} as const;
