/** Bytes of a key stored in a page's links. */
export const PREFIX_BYTES = 8;

/**
 * Counts links to URLs by the first 8 bytes of their keys, 16 bytes per URL. Keys are added in sorted order and found by binary search.
 */
export class LinkCounter {
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #firsts: Uint32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#firsts = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a URL; they must come in the order of their keys. */
  add(key: Buffer): void {
    this.#high[this.#size] = key.readUInt32BE(0);
    this.#low[this.#size] = key.readUInt32BE(4);
    this.#size += 1;
  }

  /** Counts one link of page `number` to each of these URLs that the table contains. */
  count(number: number, links: Buffer): void {
    for (let at = 0; at + PREFIX_BYTES <= links.length; at += PREFIX_BYTES) {
      const place = this.#placeOf(links.readUInt32BE(at), links.readUInt32BE(at + 4));
      if (place === -1) continue;
      const before = this.#counts[place] ?? 0;
      if (before === 0) this.#firsts[place] = number;
      this.#counts[place] = before + 1;
    }
  }

  /** Returns the number of links to a URL and the number of the first page with one; 0 if none has. */
  linksTo(key: Buffer): { readonly links: number; readonly first: number } {
    const place = this.#placeOf(key.readUInt32BE(0), key.readUInt32BE(4));
    return place === -1 ? { links: 0, first: 0 } : { links: this.#counts[place] ?? 0, first: this.#firsts[place] ?? 0 };
  }

  #placeOf(high: number, low: number): number {
    let from = 0;
    let to = this.#size - 1;
    while (from <= to) {
      const middle = (from + to) >>> 1;
      const h = this.#high[middle] ?? 0;
      const l = this.#low[middle] ?? 0;
      if (h === high && l === low) return middle;
      if (h < high || (h === high && l < low)) from = middle + 1;
      else to = middle - 1;
    }
    return -1;
  }
}
