import { z } from 'zod';

export const config = {
  /** Where the REST interface listens. */
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
  /** The address users reach us at; by default the one each request came to. */
  PUBLIC_URL: z.url().optional(),
  /** A catalogue of the operator's own; the bundled one otherwise. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Bytes of a request's body. */
  MAX_BODY_BYTES: z.coerce.number().int().default(1_048_576),
} as const;
