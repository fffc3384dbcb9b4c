import { z } from 'zod';

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
  /** Hosts, host:port or CIDRs that may be told things though they are not on the public web; comma-separated. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** smtp:// or smtps://, credentials included; empty: nobody is written to, members find notices instead. */
  MAIL_URL: z.string().default(''),
  /** Who mails are from. One that is set and empty is not set. */
  MAIL_FROM: z
    .string()
    .default(MAIL_FROM)
    .transform((from) => from.trim() || MAIL_FROM),
  /** Where people open the console; empty: messages carry no links to it. */
  CONSOLE_URL: z.string().default(''),
  /** Days deliveries are kept that have come to their end. */
  DELIVERY_DAYS: z.coerce.number().int().min(1).default(30),
} as const;
