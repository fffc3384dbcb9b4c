import type { z } from 'zod';
import { ADVANCED_KEYS } from './advanced-keys.ts';
import { CONTENT_KEYS } from './content-keys.ts';
import { FETCH_KEYS } from './fetch-keys.ts';
import { OUTPUT_KEYS } from './output-keys.ts';
import { SCOPE_KEYS } from './scope-keys.ts';

/** What configuration is copied by. */
export const CONFIG_GROUPS = ['scope', 'fetch', 'content', 'output', 'advanced'] as const;
export type ConfigGroup = (typeof CONFIG_GROUPS)[number];

/** One entry of the configuration catalogue. */
interface ConfigEntry {
  readonly group: ConfigGroup;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
  readonly says: string;
  /** The value belongs to one site, and never travels to another project. */
  readonly site?: true;
  /** The value is an address whose path is a secret. */
  readonly masked?: true;
}

/** The configuration catalogue: what each key takes, its default and its group. */
export const CONFIG_KEYS = {
  ...SCOPE_KEYS,
  ...FETCH_KEYS,
  ...CONTENT_KEYS,
  ...OUTPUT_KEYS,
  ...ADVANCED_KEYS,
} as const satisfies Readonly<Record<string, ConfigEntry>>;

export type ConfigKey = keyof typeof CONFIG_KEYS;

/** Every key with its entry, for who treats them all alike. */
export const configEntries: readonly (readonly [key: string, entry: ConfigEntry])[] = Object.entries(CONFIG_KEYS);

/** An entry's meaning and default, as documentation shows them. */
export const sayEntry = ({ says, fallback }: Pick<ConfigEntry, 'says' | 'fallback'>): string =>
  `${says}${fallback === null ? '' : `; default ${JSON.stringify(fallback)}`}`;

/** The same of a key. */
export const say = (key: ConfigKey): string => sayEntry(CONFIG_KEYS[key]);
