import { createHash, randomBytes } from 'node:crypto';

export const RECOVERY_CODES = 10;
/** 24 characters of base32: 120 bits, so that an unsalted SHA-256 is sufficient at rest (ASVS 6.5.2). */
const CHARS = 24;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns new recovery codes such as `abcd-efgh-…`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = Array.from(randomBytes(CHARS), (byte) => ALPHABET[byte & 31] ?? '').join('');
    return text.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** Returns the SHA-256 of a code as a person types it: case, spaces and dashes do not matter. */
export const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256').update(code.toLowerCase().replace(/[\s-]/g, '')).digest();
