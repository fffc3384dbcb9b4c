import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 1;
const KEY_BYTES = 32;
const MARK_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + MARK_BYTES + IV_BYTES + TAG_BYTES;

interface Key {
  /** The first bytes of the key's hash: tells which key sealed a value. */
  readonly mark: Buffer;
  readonly key: Buffer;
}

/**
 * Seals secrets at rest with AES-256-GCM (NIST SP 800-38D). The first key seals, every key opens: to rotate, put a new key in
 * front and keep the old ones until nothing sealed by them is left.
 */
export class Sealer {
  readonly #keys: readonly [Key, ...Key[]];

  /** `keys`: base64 of 32 bytes each, comma-separated, newest first. @throws Error naming the key by its place, never its value */
  constructor(keys: string) {
    const [first, ...rest] = keys.split(',').map((text, at) => toKey(text.trim(), at + 1));
    if (first === undefined) throw new Error('a sealer needs a key');
    this.#keys = [first, ...rest];
  }

  /** `context` names what the value belongs to; only the same context opens it. */
  seal(plain: string, context: string): Buffer {
    const [{ key, mark }] = this.#keys;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), mark, iv, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error where the value was changed, belongs elsewhere, or its key is not here */
  open(sealed: Uint8Array, context: string): string {
    const bytes = Buffer.from(sealed);
    if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw new Error('not a sealed value');
    const mark = bytes.subarray(1, 1 + MARK_BYTES);
    const known = this.#keys.find((key) => key.mark.equals(mark));
    if (known === undefined) throw new Error('sealed by a key that is not here');
    const iv = bytes.subarray(1 + MARK_BYTES, 1 + MARK_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', known.key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  }
}

function toKey(text: string, place: number): Key {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `sealing key ${place} has ${key.length} bytes; expected ${KEY_BYTES} in base64 (openssl rand -base64 32)`,
    );
  }
  return { key, mark: createHash('sha256').update(key).digest().subarray(0, MARK_BYTES) };
}
