import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  /** Path of the operator's plan catalogue. Default: the bundled catalogue. */
  TIDEMARK_CATALOGUE: z.string().optional(),
} as const;
