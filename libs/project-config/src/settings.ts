import { AppError } from '@tidemark/errors';
import type { z } from 'zod';
import { CONFIG_KEYS, type ConfigKey } from './config.ts';
import { CrawlConfig } from './scrape-config.ts';

/** Every key of the catalogue, each with its type. */
const Settings = CrawlConfig.extend({
  template_changes: CONFIG_KEYS.template_changes.schema.optional(),
  volatile_selectors: CONFIG_KEYS.volatile_selectors.schema.optional(),
  volatile_overrides: CONFIG_KEYS.volatile_overrides.schema.optional(),
  webhook_url: CONFIG_KEYS.webhook_url.schema.optional(),
  webhook_events: CONFIG_KEYS.webhook_events.schema.optional(),
  webhook_metadata: CONFIG_KEYS.webhook_metadata.schema.optional(),
  notify_min_words: CONFIG_KEYS.notify_min_words.schema.optional(),
  notify_emails: CONFIG_KEYS.notify_emails.schema.optional(),
  chat_url: CONFIG_KEYS.chat_url.schema.optional(),
  alerts: CONFIG_KEYS.alerts.schema.optional(),
  change_digest: CONFIG_KEYS.change_digest.schema.optional(),
} satisfies Partial<Record<ConfigKey, z.ZodType>>);

/** Settings of a project or run by their keys. An absent key has its default. */
export type Settings = Readonly<z.output<typeof Settings>>;

/** Every setting, absent ones as undefined: a list of settings that lacks a key of the catalogue does not compile. */
export type AllSettings = { readonly [Key in ConfigKey]: Settings[Key] };

/** Reads values of a request. @throws AppError validation, which names each refused key */
export function parseSettings(values: Readonly<Record<string, unknown>>): Settings {
  const read = Settings.safeParse(values);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `config.${path.join('.')}: ${message}`);
  throw new AppError('validation', faults.join('; '), { cause: read.error });
}

/**
 * Reads stored values. Keys and values that the catalogue does not accept any more are left out: the request that saves or uses them is
 * the one that reports them.
 */
export function readSettings(values: Readonly<Record<string, unknown>>): Settings {
  const read = Settings.safeParse(values);
  if (read.success) return read.data;
  const refused = new Set(
    read.error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [issue.path[0]])),
  );
  return Settings.parse(Object.fromEntries(Object.entries(values).filter(([key]) => !refused.has(key))));
}
