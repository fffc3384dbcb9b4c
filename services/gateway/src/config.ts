import { z } from 'zod';

export const config = {
  /** Listen address of the REST interface. */
  LISTEN: z.string().default('0.0.0.0:8787'),
  REDIS_URL: z.string(),
  IDENTITY_ADDR: z.string(),
  BILLING_ADDR: z.string(),
  SCRAPE_ADDR: z.string(),
  BROWSER_POOL_ADDR: z.string(),
  ARCHIVE_ADDR: z.string(),
  MAP_ADDR: z.string(),
  CRAWL_ADDR: z.string(),
  PROJECTS_ADDR: z.string(),
  DIFF_ADDR: z.string(),
  EXPORT_ADDR: z.string(),
  DELIVERY_ADDR: z.string(),
  /** Public base URL including /v1; by default derived from each request. */
  PUBLIC_URL: z.url().optional(),
  /** Path of a catalogue file; the bundled catalogue by default. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Maximum size of a request body, bytes. */
  MAX_BODY_BYTES: z.coerce.number().int().default(1_048_576),
} as const;
