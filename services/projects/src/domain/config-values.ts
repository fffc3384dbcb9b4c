import { AppError } from '@tidemark/errors';

/** Settings by key, as they were given. Keys that were not given are absent. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** Which keys hold secrets, and how secrets are masked. */
export interface Masking {
  readonly isSecret: (key: string) => boolean;
  readonly mask: (key: string, value: unknown) => unknown;
  /** Replaces the masks in a value by the stored secrets. @throws AppError validation for a mask of something else */
  readonly restore: (key: string, value: unknown, stored: unknown) => unknown;
  /** Returns a value as a project of another host gets it; undefined: it has none. */
  readonly copy: (key: string, value: unknown, target: unknown) => unknown;
}

/** Size limit of a config, bytes. A list of 50,000 short URLs fits. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes one request may copy to other projects. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Merges a change into a saved config, key by key. null removes a key, and so does an empty secret; a masked secret keeps the stored
 * one. @throws AppError too_large, validation for a mask that is not the mask of the stored value
 */
export function mergeConfig(saved: ConfigValues, change: ConfigValues, masking: Masking): ConfigValues {
  const merged = new Map(Object.entries(saved));
  for (const [key, value] of Object.entries(change)) {
    const isSecret = masking.isSecret(key);
    if (value === null || (isSecret && value === '')) merged.delete(key);
    else merged.set(key, isSecret ? masking.restore(key, value, saved[key]) : value);
  }
  return checkSize(Object.fromEntries(merged));
}

/** @throws AppError too_large */
function checkSize(config: ConfigValues): ConfigValues {
  if (Buffer.byteLength(JSON.stringify(config)) <= MAX_BYTES) return config;
  throw new AppError('too_large', `config: at most ${MAX_BYTES} bytes, including what is saved already`);
}

/** Copies these keys from the source to the target; keys that the source does not have are removed. @throws AppError too_large */
export function copyKeys(source: ConfigValues, target: ConfigValues, keys: readonly string[]): ConfigValues {
  const kept = Object.entries(target).filter(([key]) => !keys.includes(key));
  return checkSize(Object.fromEntries([...kept, ...Object.entries(pickKeys(source, keys))]));
}

/** Checks the size of all copies together. @throws AppError too_large */
export function checkCopies(config: ConfigValues, copies: number): void {
  if (Buffer.byteLength(JSON.stringify(config)) * copies <= MAX_COPIED_BYTES) return;
  throw new AppError('too_large', 'this config is too large for so many projects at once; name fewer');
}

/** Returns a config as a project of another host gets it: without the secrets of the source's site, and with those of the target. */
export function copyableTo(target: ConfigValues, source: ConfigValues, { isSecret, copy }: Masking): ConfigValues {
  const keys = [...new Set([...Object.keys(source), ...Object.keys(target)])].filter(isSecret);
  const copied = keys.map((key) => [key, copy(key, source[key], target[key])] as const);
  const others = Object.entries(source).filter(([key]) => !isSecret(key));
  return Object.fromEntries([...others, ...copied.filter(([, value]) => value !== undefined)]);
}

/** Returns whether two seeds have the same host, port included. */
export const isSameHost = (one: string, other: string): boolean => new URL(one).host === new URL(other).host;

export const pickKeys = (config: ConfigValues, keys: readonly string[]): ConfigValues =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key)));

/** Masks the secrets of a config. */
export const maskConfig = (config: ConfigValues, { mask }: Masking): ConfigValues =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, mask(key, value)]));

/** Returns the keys whose values differ between two configs, sorted. */
export const changedKeys = (one: ConfigValues, other: ConfigValues): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((key) => !sameConfig(pickKeys(one, [key]), pickKeys(other, [key])))
    .sort();

/** Whether two configs are equal, in any order of keys. */
export const sameConfig = (one: ConfigValues, other: ConfigValues): boolean => sortedJson(one) === sortedJson(other);

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
