const { imul } = Math;
const FIRST_SLOTS = 1 << 12;
const FULLEST = 0.6;

/**
 * Which addresses were seen, in 53 bits each: a million of them fit where their text would not. A table of its own, because V8's
 * Set gives all numbers beyond 32 bits the same hash.
 */
export class UrlBook {
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether it is new */
  add(url: string): boolean {
    if (this.#size >= this.#slots.length * FULLEST) this.#grow();
    if (!put(this.#slots, fingerprint(url))) return false;
    this.#size += 1;
    return true;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const print of this.#slots) if (print !== 0) put(larger, print);
    this.#slots = larger;
  }
}

/** @returns whether it was not there */
function put(slots: Float64Array, print: number): boolean {
  const mask = slots.length - 1;
  for (let at = print % slots.length; ; at = (at + 1) & mask) {
    if (slots[at] === print) return false;
    if (slots[at] !== 0) continue;
    slots[at] = print;
    return true;
  }
}

/** cyrb53 by bryc (public domain): two 32-bit multiplicative hashes that mix into each other. */
export function fingerprint(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = imul(a ^ code, 2_654_435_761);
    b = imul(b ^ code, 1_597_334_677);
  }
  a = imul(a ^ (a >>> 16), 2_246_822_507) ^ imul(b ^ (b >>> 13), 3_266_489_909);
  b = imul(b ^ (b >>> 16), 2_246_822_507) ^ imul(a ^ (a >>> 13), 3_266_489_909);
  // 0 is an empty slot.
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0) || 1;
}
