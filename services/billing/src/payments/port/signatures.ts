import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the HMAC-SHA256 of a text in hexadecimal digits. */
export const hmacHex = (secret: string, text: string | Uint8Array): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** Compares two texts in constant time. */
export function equalTexts(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns whether one of the secrets made this signature. */
export const isSignedBy = (secrets: readonly string[], text: string | Uint8Array, signature: string): boolean =>
  secrets.some((secret) => equalTexts(hmacHex(secret, text), signature));
