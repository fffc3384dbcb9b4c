import { collapseSpaces } from '../tree/page-tree.ts';

const BYTES = 8;
/** Halves of the offset basis, and the lower part of the prime 2⁴⁰ + 0x1b3. */
const BASIS_HIGH = 0xcbf29ce4 | 0;
const BASIS_LOW = 0x84222325 | 0;
const PRIME_LOW = 0x1b3;
/** Bits that are set only if one of two code units is not ASCII. */
const BEYOND_ASCII = 0xff80ff80;

/**
 * 64-bit FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, over two UTF-16 code units per step. Blocks are short: a
 * call into OpenSSL would cost more than everything else done to a block.
 */
export class BlockHash {
  #high = BASIS_HIGH;
  #low = BASIS_LOW;
  #seen = 0;

  get isAscii(): boolean {
    return (this.#seen & BEYOND_ASCII) === 0;
  }

  add(text: string): this {
    let high = this.#high;
    let low = this.#low;
    let seen = this.#seen;
    const { length } = text;
    for (let at = 0; at < length; at += 2) {
      const second = at + 1 < length ? text.charCodeAt(at + 1) << 16 : 0;
      const units = text.charCodeAt(at) | second;
      seen |= units;
      low ^= units;
      // 64-bit product in 32-bit steps.
      const lower = (low & 0xffff) * PRIME_LOW;
      const upper = (low >>> 16) * PRIME_LOW + (lower >>> 16);
      high = (Math.imul(high, PRIME_LOW) + (low << 8) + (upper >>> 16)) | 0;
      low = (upper << 16) | (lower & 0xffff);
    }
    this.#high = high;
    this.#low = low;
    this.#seen = seen;
    return this;
  }

  digest(): Buffer {
    const bytes = Buffer.allocUnsafe(BYTES);
    bytes.writeInt32BE(this.#high, 0);
    bytes.writeInt32BE(this.#low, 4);
    return bytes;
  }
}

/** Hashes of a block. */
export interface BlockHashes {
  /** Over text and links. */
  readonly hash: Buffer;
  /** Over the text alone; absent: there are no links, and `hash` is that of the text. */
  readonly textHash: Buffer | undefined;
}

/**
 * Hashes a block's text, and its text and links. Compatibility forms are folded and spaces at punctuation are left out, so that a change
 * of the encoding or of the markup is not a change.
 */
export function hashesOf(text: string, links: readonly string[]): BlockHashes {
  const sum = hashOfText(text);
  const textHash = sum.digest();
  if (links.length === 0) return { hash: textHash, textHash: undefined };
  // Texts contain no line breaks, so a line break separates.
  for (const link of links) sum.add('\n').add(link);
  return { hash: sum.digest(), textHash };
}

function hashOfText(text: string): BlockHash {
  const compact = SPACED.test(text) ? text.replace(SPACES, '') : text;
  const sum = new BlockHash().add(compact);
  if (sum.isAscii) return sum;
  const normal = compact.normalize('NFKC');
  return normal === compact ? sum : new BlockHash().add(collapseSpaces(normal));
}

/** A space before closing punctuation or after an opening bracket. Markup may add one there; a reader sees no difference. */
const SPACED = /\s[,.;:!?)\]}»”…]|[([{«“]\s/;
const SPACES = /\s+(?=[,.;:!?)\]}»”…])|(?<=[([{«“])\s+/g;
