import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** A catalogue of the operator's own; the bundled one otherwise. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Seconds after which a lease nobody settled is given back. Longer than the longest job with its retries. */
  LEASE_SECONDS: z.coerce.number().int().min(10).default(900),
} as const;
