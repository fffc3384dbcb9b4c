import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'service_';
/** 32 characters from an alphabet of 62 are 190 bits of entropy, so an unsalted SHA-256 is sufficient at rest. */
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`);

function base62(value: number, chars: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < chars; i += 1) {
    text = (ALPHABET[rest % 62] ?? '') + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomChars(count: number): string {
  let text = '';
  while (text.length < count) {
    // Rejection sampling: 248 is the largest multiple of 62 that fits in a byte, so `% 62` is unbiased.
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += ALPHABET[byte % 62] ?? '';
  }
  return text;
}

/** Generates a secret: prefix, random part and CRC-32 checksum. The checksum detects typing errors without a database query. */
export function generateSecret(): string {
  const body = randomChars(SECRET_CHARS);
  return `${PREFIX}${body}${base62(crc32(body), CHECKSUM_CHARS)}`;
}

/** Returns whether a string has the shape and the checksum of a secret. */
export function isWellFormed(secret: string): boolean {
  if (!SHAPE.test(secret)) return false;
  const body = secret.slice(PREFIX.length, PREFIX.length + SECRET_CHARS);
  return secret.endsWith(base62(crc32(body), CHECKSUM_CHARS));
}

/** Returns the SHA-256 under which a secret is stored and looked up. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
