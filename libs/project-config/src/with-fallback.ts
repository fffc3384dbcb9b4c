import { CONFIG_KEYS, type ConfigKey } from './config.ts';

type Fallback<Key extends ConfigKey> = (typeof CONFIG_KEYS)[Key]['fallback'];

/** Returns the value of a key, or its default where the configuration does not set it. */
export function withFallback<Config extends { readonly [Key in ConfigKey]?: unknown }, Key extends ConfigKey>(
  config: Config,
  key: Key,
): NonNullable<Config[Key]> | Fallback<Key> {
  return config[key] ?? CONFIG_KEYS[key].fallback;
}
