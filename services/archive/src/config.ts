import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** file:// folder or s3:// bucket. */
  BLOB_URL: z.string(),
  /** Days the pages of scrapes and batches are kept. */
  RETENTION_DAYS: z.coerce.number().int().min(1).default(90),
  /** Seconds between two looks for what has had its time. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(60),
  /** Hours a blob nobody names is set aside for before it is destroyed: longer than any row that names it can be on its way. */
  BLOB_ASIDE_HOURS: z.coerce.number().int().min(1).default(24),
  /** Minutes the bus must have been there before blobs are looked at: rows that waited for it come in meanwhile. */
  CATCH_UP_MINUTES: z.coerce.number().min(0).default(30),
  /** Seconds between two looks for runs that have ended and are not listed yet; one that is told of is listed at once. */
  LIST_SECONDS: z.coerce.number().min(0.05).default(5),
  /** Seconds after which the words of a run's pages are sketched: searches before that read the pages themselves. */
  SKETCH_AFTER_SECONDS: z.coerce.number().min(0).default(15),
  /** Milliseconds for one asking of a search; a scan goes on with the next. */
  SEARCH_MS: z.coerce.number().int().min(10).default(150),
} as const;
