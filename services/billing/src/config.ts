import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** Path of the operator's plan catalogue. Default: the bundled catalogue. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Lease duration, seconds. Must exceed the duration of the longest job including its retries. */
  LEASE_SECONDS: z.coerce.number().int().min(10).default(900),
} as const;
