import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  IDENTITY_ADDR: z.string(),
  /** Path of the operator's plan catalogue. Default: the bundled catalogue. */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Plan of accounts whose workspace has a plan that is not in the catalogue. */
  TIDEMARK_DEFAULT_PLAN: z.string().default('free'),
  /** Lease duration, seconds. Must exceed the duration of the longest job including its retries. */
  LEASE_SECONDS: z.coerce.number().int().min(10).default(900),
  /** How often expired leases are released and due periods begin, seconds. */
  SWEEP_SECONDS: z.coerce.number().min(0.1).default(30),
} as const;
