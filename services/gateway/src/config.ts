import { z } from 'zod';
import { MAX_CONNECTIONS_PER_ADDRESS } from './http/connection-limit.ts';
import { parseTrustedProxies } from './http/trusted-proxies.ts';
import { AUTH_FAILURES_PER_MINUTE } from './middleware/auth-failures.ts';

export const config = {
  /** Listen address of the REST interface. */
  LISTEN: z.string().default('0.0.0.0:8787'),
  /** Redis for rate limit windows, OAuth codes and continued Firecrawl requests. */
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
  /** Public base URL including /v1. @defaultValue the Host header of each request, if it is a valid host name */
  PUBLIC_URL: z.url().optional(),
  /**
   * Proxies in front of the gateway: addresses, CIDRs, `loopback`, `linklocal`, `uniquelocal`, comma-separated. Their X-Forwarded headers are
   * used, and their connections are not limited.
   */
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parseTrustedProxies(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'unreadable' });
        return z.NEVER;
      }
    }),
  /** Open connections of one client address (IPv6: of its /64). */
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(1).default(MAX_CONNECTIONS_PER_ADDRESS),
  /** Requests without a valid key that one client address may send per minute to a process; further ones get 429. */
  AUTH_FAILURES_PER_MINUTE: z.coerce.number().int().min(1).default(AUTH_FAILURES_PER_MINUTE),
  /** Distinguishes the session cookies of installations on one host, whose cookies all ports share: letters, digits and dashes. */
  INSTALLATION: z
    .string()
    .regex(/^[A-Za-z0-9-]{0,32}$/)
    .default(''),
  /** `1` allows sessions over plain http on any host, for labs. By default browsers keep them over https and on localhost only. */
  INSECURE_COOKIES: z.enum(['', '0', '1']).default(''),
  /** Folder of the built console. Empty: none is served, and `/` leads to the documentation. */
  CONSOLE_DIR: z.string().default(''),
  /** Public URL of the MCP endpoint, such as https://tidemark.example/mcp: turns on OAuth for its clients. */
  MCP_URL: z.url().optional(),
  /** Path of the operator's plan catalogue. @defaultValue the bundled catalogue */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Maximum size of a request body, bytes. */
  MAX_BODY_BYTES: z.coerce.number().int().default(1_048_576),
} as const;
