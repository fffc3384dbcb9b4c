import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  CRAWL_ADDR: z.string(),
  SCRAPE_ADDR: z.string(),
  EXPORT_ADDR: z.string(),
  /** Keys that seal the secrets of configurations: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs that may be captured although they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Projects one workspace may hold. */
  MAX_PROJECTS: z.coerce.number().int().min(1).default(10_000),
  /** Seconds between two checks for due runs. */
  SCHEDULE_SECONDS: z.coerce.number().min(0.05).default(1),
} as const;
