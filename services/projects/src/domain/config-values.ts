import { AppError } from '@tidemark/errors';

/** Settings by key, as they were given: a key that wasn't given isn't there. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** Which keys hold secrets, and how those are shown. */
export interface Masking {
  readonly isSecret: (key: string) => boolean;
  readonly mask: (value: string) => string;
  readonly isMasked: (value: unknown) => boolean;
}

/** Bytes of a config: a list of 50,000 short addresses fits. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes one request may copy onto other projects. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 32;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)));

/** Reads a change of config off the wire; empty: none. @throws AppError validation, too_large */
export function parseConfig(json: string): ConfigValues {
  if (json === '') return {};
  if (Buffer.byteLength(json) > MAX_BYTES) throw new AppError('too_large', `config: at most ${MAX_BYTES} bytes`);
  const value = readJson(json);
  if (!isObject(value)) throw new AppError('validation', 'config: expected an object');
  if (isDeeper(value, MAX_DEPTH)) throw new AppError('validation', `config: at most ${MAX_DEPTH} levels deep`);
  return value;
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new AppError('validation', 'config: expected JSON', { cause });
  }
}

/**
 * What is saved once a change is merged in, key by key: null removes a key, and so does an empty secret; a masked secret keeps the
 * stored one. @throws AppError too_large
 */
export function mergeConfig(saved: ConfigValues, change: ConfigValues, masking: Masking): ConfigValues {
  const merged = new Map(Object.entries(saved));
  for (const [key, value] of Object.entries(change)) {
    const isSecret = masking.isSecret(key);
    if (isSecret && masking.isMasked(value)) continue;
    if (value === null || (isSecret && value === '')) merged.delete(key);
    else merged.set(key, value);
  }
  return checkedSize(Object.fromEntries(merged));
}

/** A config that may be saved. @throws AppError too_large */
function checkedSize(config: ConfigValues): ConfigValues {
  if (Buffer.byteLength(JSON.stringify(config)) <= MAX_BYTES) return config;
  throw new AppError('too_large', `config: at most ${MAX_BYTES} bytes, with what is saved already`);
}

/** The target's config with these keys as the source has them: a key the source has not is gone. @throws AppError too_large */
export function copyKeys(source: ConfigValues, target: ConfigValues, keys: readonly string[]): ConfigValues {
  const kept = Object.entries(target).filter(([key]) => !keys.includes(key));
  return checkedSize(Object.fromEntries([...kept, ...Object.entries(pickKeys(source, keys))]));
}

/** Refuses to copy more than one request may. @throws AppError too_large */
export function checkCopies(config: ConfigValues, copies: number): void {
  if (Buffer.byteLength(JSON.stringify(config)) * copies <= MAX_COPIED_BYTES) return;
  throw new AppError('too_large', 'this config is too large for so many projects at once; name fewer');
}

export const pickKeys = (config: ConfigValues, keys: readonly string[]): ConfigValues =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keys.includes(key)));

/** A config as it may be shown. */
export const maskConfig = (config: ConfigValues, { isSecret, mask }: Masking): ConfigValues =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      isSecret(key) && typeof value === 'string' ? mask(value) : value,
    ]),
  );

/** Whether two configs say the same, in whatever order. */
export const sameConfig = (one: ConfigValues, other: ConfigValues): boolean => inOrder(one) === inOrder(other);

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
