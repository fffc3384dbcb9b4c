import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 1;
const KEY_BYTES = 32;
const FINGERPRINT_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + FINGERPRINT_BYTES + IV_BYTES + TAG_BYTES;

interface Key {
  /** The first bytes of the key's SHA-256; stored with a value to identify its key. */
  readonly fingerprint: Buffer;
  readonly key: Buffer;
}

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D). The first key encrypts, every key decrypts. To rotate, put a new key
 * first and keep the old keys until no value is encrypted with them.
 */
export class Sealer {
  readonly #keys: readonly [Key, ...Key[]];

  /** `keys`: base64 of 32 bytes each, comma-separated, newest first. @throws Error naming the key's position, never its value */
  constructor(keys: string) {
    const [first, ...rest] = keys.split(',').map((text, at) => toKey(text.trim(), at + 1));
    if (first === undefined) throw new Error('a sealer needs a key');
    this.#keys = [first, ...rest];
  }

  /** Fingerprints of the keys, the first of which encrypts. */
  get fingerprints(): string[] {
    return this.#keys.map(({ fingerprint }) => fingerprint.toString('hex'));
  }

  /** Encrypts a value. `context` identifies its owner; only the same context can open it. */
  seal(plain: string, context: string): Buffer {
    const [{ key, fingerprint }] = this.#keys;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), fingerprint, iv, cipher.getAuthTag(), sealed]);
  }

  /** Decrypts a value. @throws Error if the value was modified, has another context, or its key is not configured */
  open(sealed: Uint8Array, context: string): string {
    const bytes = Buffer.from(sealed);
    if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw new Error('not a sealed value');
    const fingerprint = bytes.subarray(1, 1 + FINGERPRINT_BYTES);
    const known = this.#keys.find((key) => key.fingerprint.equals(fingerprint));
    if (known === undefined)
      throw new Error(`sealed with a key that is not configured: ${fingerprint.toString('hex')}`);
    const iv = bytes.subarray(1 + FINGERPRINT_BYTES, 1 + FINGERPRINT_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', known.key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  }
}

/** Returns the fingerprint of the key that encrypted a value, 8 hex digits; undefined if it is no sealed value. */
export function fingerprintOf(sealed: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) return undefined;
  return bytes.toString('hex', 1, 1 + FINGERPRINT_BYTES);
}

function toKey(text: string, position: number): Key {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `sealing key ${position} has ${key.length} bytes; expected ${KEY_BYTES} in base64 (openssl rand -base64 32)`,
    );
  }
  return { key, fingerprint: createHash('sha256').update(key).digest().subarray(0, FINGERPRINT_BYTES) };
}
