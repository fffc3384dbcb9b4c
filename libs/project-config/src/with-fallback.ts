import { CONFIG_KEYS, type ConfigKey } from './config.ts';

type Fallback<Key extends ConfigKey> = (typeof CONFIG_KEYS)[Key]['fallback'];

/** Returns the value of a key, or its default where the configuration does not set it. */
export function withFallback<Key extends ConfigKey, Value>(
  config: { readonly [K in Key]?: Value },
  key: Key,
): NonNullable<Value> | Fallback<Key> {
  return config[key] ?? CONFIG_KEYS[key].fallback;
}
