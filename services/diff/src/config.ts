import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  ARCHIVE_ADDR: z.string(),
  CRAWL_ADDR: z.string(),
  SCRAPE_ADDR: z.string(),
  /** Seconds between two looks for records that are to be made. */
  RECORD_SECONDS: z.coerce.number().min(0.05).default(1),
  /** Records made at once. */
  RECORDS_AT_ONCE: z.coerce.number().int().min(1).max(32).default(2),
  /** Threads that compare pages. */
  COMPARE_THREADS: z.coerce.number().int().min(1).max(16).default(1),
} as const;
