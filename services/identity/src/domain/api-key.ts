import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'service_';
/** 32 characters of 62: 190 bits, beyond guessing, so a plain hash is enough at rest. */
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
    // Bytes from 248 on would favour the first letters of the alphabet.
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += ALPHABET[byte % 62] ?? '';
  }
  return text;
}

/** A new secret: prefix, random part, and a CRC-32 checksum that tells a typo from a key without asking a database. */
export function mintSecret(): string {
  const body = randomChars(SECRET_CHARS);
  return `${PREFIX}${body}${base62(crc32(body), CHECKSUM_CHARS)}`;
}

/** Whether a string can be one of our secrets at all. */
export function isWellFormed(secret: string): boolean {
  if (!SHAPE.test(secret)) return false;
  const body = secret.slice(PREFIX.length, PREFIX.length + SECRET_CHARS);
  return secret.endsWith(base62(crc32(body), CHECKSUM_CHARS));
}

/** What is stored of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
