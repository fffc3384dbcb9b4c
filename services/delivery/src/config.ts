import { z } from 'zod';

/** Address of the gateway on the same machine. */
export const DEFAULT_PUBLIC_URL = 'http://localhost:8787/v1';
const MAIL_FROM = 'Tidemark <tidemark@localhost>';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  CRAWL_ADDR: z.string(),
  MAP_ADDR: z.string(),
  PROJECTS_ADDR: z.string(),
  DIFF_ADDR: z.string(),
  EXPORT_ADDR: z.string(),
  /** Keys that seal secrets at rest: base64 of 32 bytes each, comma-separated, newest first. */
  SEALING_KEYS: z.string(),
  /** Hosts, host:port or CIDRs outside the public web that may receive messages; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
  /** smtp:// or smtps://, credentials included; empty: no mails are sent, members find notices instead. */
  MAIL_URL: z.string().default(''),
  /** Sender of mails. An empty value means the default. */
  MAIL_FROM: z
    .string()
    .default(MAIL_FROM)
    .transform((from) => from.trim() || MAIL_FROM),
  /** Base URL of the REST interface, with /v1: the start of links in webhook messages. The same value as at the gateway. */
  PUBLIC_URL: z.url().default(DEFAULT_PUBLIC_URL),
  /** Origin of the console; empty: that of PUBLIC_URL, where it is configured. Without both, messages have no links to it. */
  CONSOLE_URL: z.string().default(''),
  /** Retention of completed deliveries, days. */
  DELIVERY_DAYS: z.coerce.number().int().min(1).default(30),
} as const;
