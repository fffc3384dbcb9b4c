import { z } from 'zod';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  BILLING_ADDR: z.string(),
  ARCHIVE_ADDR: z.string(),
  MAP_ADDR: z.string(),
  /** browser-pool states whether exits are configured, which determines the maximum price of a page. */
  BROWSER_POOL_ADDR: z.string(),
  /** Keys that seal the secrets of runs (webhooks, headers, cookies): base64 of 32 bytes each, comma-separated, newest first. The same for scrape, projects and delivery. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs that may be fetched although they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Path of the operator's plan catalogue. @defaultValue the bundled catalogue */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Runs orchestrated at once by this instance; further runs are queued, fairly per workspace. */
  MAX_RUNS: z.coerce.number().int().min(1).default(32),
} as const;
