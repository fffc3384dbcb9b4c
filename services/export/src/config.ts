import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  /** Keys that seal secrets at rest: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs that may be connected to though they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
} as const;
