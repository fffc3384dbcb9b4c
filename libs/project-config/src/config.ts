import type { z } from 'zod';
import { ADVANCED_KEYS } from './advanced-keys.ts';
import { CONTENT_KEYS } from './content-keys.ts';
import { FETCH_KEYS } from './fetch-keys.ts';
import { OUTPUT_KEYS } from './output-keys.ts';
import { SCOPE_KEYS } from './scope-keys.ts';

/** Groups in which configuration can be copied. */
export const CONFIG_GROUPS = ['scope', 'fetch', 'content', 'output', 'advanced'] as const;
export type ConfigGroup = (typeof CONFIG_GROUPS)[number];

/** One entry of the configuration catalogue. */
interface ConfigEntry {
  readonly group: ConfigGroup;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
  readonly description: string;
  /** The value belongs to one site and is never copied to another project. */
  readonly site?: true;
  /**
   * Which parts of the value are secrets; see config-secrets.ts. `address`: a URL except its host; `url_tokens`: the parts of a URL that
   * may be credentials; `headers`: the values of headers that may be credentials; `values`: every value of an object;
   * `typed_texts`: the texts of actions of type `type`.
   */
  readonly secret?: 'address' | 'url_tokens' | 'headers' | 'values' | 'typed_texts';
}

/** The configuration catalogue: schema, default and group of each key. */
export const CONFIG_KEYS = {
  ...SCOPE_KEYS,
  ...FETCH_KEYS,
  ...CONTENT_KEYS,
  ...OUTPUT_KEYS,
  ...ADVANCED_KEYS,
} as const satisfies Readonly<Record<string, ConfigEntry>>;

export type ConfigKey = keyof typeof CONFIG_KEYS;

/** Every key with its entry. */
export const configEntries: readonly (readonly [key: string, entry: ConfigEntry])[] = Object.entries(CONFIG_KEYS);

/** Returns the description and default of an entry for the documentation. */
export const describeEntry = ({ description, fallback }: Pick<ConfigEntry, 'description' | 'fallback'>): string =>
  `${description}${fallback === null ? '' : `; default ${JSON.stringify(fallback)}`}`;

/** Returns the description and default of a key for the documentation. */
export const describeKey = (key: ConfigKey): string => describeEntry(CONFIG_KEYS[key]);
