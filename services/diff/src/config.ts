import { z } from 'zod';
import { PRODUCT_VERSION } from './release.ts';
import { SECOND_FETCH_AFTER_SECONDS } from './volatile/second-fetch.ts';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  ARCHIVE_ADDR: z.string(),
  CRAWL_ADDR: z.string(),
  SCRAPE_ADDR: z.string(),
  /** Seconds between two looks for records that are to be made. */
  RECORD_SECONDS: z.coerce.number().min(0.05).default(1),
  /** From the record of a project's first run to the second fetch of a few of its pages, which teaches what changes by itself. */
  SECOND_FETCH_SECONDS: z.coerce.number().min(0).max(3_600).default(SECOND_FETCH_AFTER_SECONDS),
  /** Names what reads pages: selectors that break within an hour of a new name's first use are watched for a fault of ours. */
  TIDEMARK_RELEASE: z.string().max(100).default(PRODUCT_VERSION),
  /** Records made at once. */
  RECORDS_AT_ONCE: z.coerce.number().int().min(1).max(32).default(2),
  /** Threads that compare pages. */
  COMPARE_THREADS: z.coerce.number().int().min(1).max(16).default(1),
} as const;
