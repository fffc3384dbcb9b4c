import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { RECAPTURE_DELAY_SECONDS, RECAPTURE_GAP_SECONDS } from './volatility/recapture-sample.ts';

/** Version of the product; the default release name. */
const { version: PRODUCT_VERSION } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  ARCHIVE_ADDR: z.string(),
  CRAWL_ADDR: z.string(),
  SCRAPE_ADDR: z.string(),
  /** Interval between two polls for due records and volatility jobs, seconds. */
  RECORD_POLL_SECONDS: z.coerce.number().min(0.05).default(1),
  /** Delay between the record of a project's first run and the recapture of sample pages, seconds. */
  RECAPTURE_DELAY_SECONDS: z.coerce.number().min(0).max(3_600).default(RECAPTURE_DELAY_SECONDS),
  /** Delay between two recaptures of a page, seconds. */
  RECAPTURE_GAP_SECONDS: z.coerce.number().min(0).max(60).default(RECAPTURE_GAP_SECONDS),
  /** Release name of the page reader. Selectors that break within an hour of a release's first use may be the release's fault. @defaultValue the version of the product */
  TIDEMARK_RELEASE: z.string().max(100).default(PRODUCT_VERSION),
  /** Records built concurrently by one process. */
  MAX_CONCURRENT_RECORDS: z.coerce.number().int().min(1).max(32).default(2),
  /** Worker threads that compare pages. */
  COMPARE_THREADS: z.coerce.number().int().min(1).max(16).default(1),
} as const;
