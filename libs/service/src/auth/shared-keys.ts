import { createSecretKey, type KeyObject } from 'node:crypto';

const MIN_BYTES = 32;
/** The current and the previous key. */
const MAX_KEYS = 2;

/** The keys of one caller. The first signs; each verifies. */
export type SharedKeys = readonly [KeyObject, ...KeyObject[]];

/**
 * Parses HMAC keys: base64 of at least 32 bytes each, comma-separated, at most two. @throws Error that names the position of the key,
 * never its value
 */
export function parseSharedKeys(text: string): SharedKeys {
  const [first, ...rest] = text.split(',').map((key, at) => toKey(key.trim(), at + 1));
  if (first === undefined || rest.length >= MAX_KEYS) throw new Error(`expected one or two keys, comma-separated`);
  return [first, ...rest];
}

function toKey(text: string, position: number): KeyObject {
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (bytes.length < MIN_BYTES)
    throw new Error(
      `key ${position} has ${bytes.length} bytes; expected at least ${MIN_BYTES} in base64 (openssl rand -base64 32)`,
    );
  return createSecretKey(bytes);
}
