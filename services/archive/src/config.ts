import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** file:// folder or s3:// bucket. */
  BLOB_URL: z.string(),
} as const;
