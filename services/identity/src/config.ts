import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  /** A catalogue of the operator's own; the bundled one otherwise. */
  TIDEMARK_CATALOGUE: z.string().optional(),
} as const;
