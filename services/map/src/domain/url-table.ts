import { fingerprint } from './url-fingerprint.ts';

const INITIAL_SLOTS = 1 << 12;
const MAX_LOAD_FACTOR = 0.6;
const NO_STAMPS = new Uint32Array(0);
const NO_FLAGS = new Uint8Array(0);

/** A URL of a dated table, as found by `visit`. */
export interface DatedUrl {
  /** Date stamp passed to `add`. */
  readonly stamp: number;
  /** True if the URL has been visited before. */
  readonly visited: boolean;
}

/**
 * A set of URLs in an open-addressing hash table of 53-bit fingerprints. A dated table also stores a date stamp and a visited flag per
 * URL. A slot takes 8 bytes (dated: 13), so a million URLs take 16 MB (27 MB), where their text would take about 100 MB. V8's Set is not
 * used because it gives all numbers above 32 bits the same hash.
 */
export class UrlTable {
  readonly #isDated: boolean;
  #fingerprints = new Float64Array(INITIAL_SLOTS);
  #stamps = NO_STAMPS;
  #visited = NO_FLAGS;
  #size = 0;

  constructor({ dated = false } = {}) {
    this.#isDated = dated;
    if (dated) this.#addColumns(INITIAL_SLOTS);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a URL; `stamp` is stored only in a dated table. A URL that is in the table keeps its stamp. @returns false if it was there */
  add(url: string, stamp = 0): boolean {
    if (this.#size >= this.#fingerprints.length * MAX_LOAD_FACTOR) this.#enlarge();
    const print = fingerprint(url);
    const slot = this.#slotOf(print);
    if (this.#fingerprints[slot] === print) return false;
    this.#fingerprints[slot] = print;
    if (this.#isDated) this.#stamps[slot] = stamp;
    this.#size += 1;
    return true;
  }

  /** Marks a URL of a dated table as visited. @returns its state before the call; undefined if it is not in the table */
  visit(url: string): DatedUrl | undefined {
    const print = fingerprint(url);
    const slot = this.#slotOf(print);
    if (this.#fingerprints[slot] !== print) return undefined;
    const visited = this.#visited[slot] === 1;
    this.#visited[slot] = 1;
    return { stamp: this.#stamps[slot] ?? 0, visited };
  }

  #addColumns(slots: number): void {
    this.#stamps = new Uint32Array(slots);
    this.#visited = new Uint8Array(slots);
  }

  #enlarge(): void {
    const [prints, stamps, visited] = [this.#fingerprints, this.#stamps, this.#visited];
    const larger = new Float64Array(prints.length * 2);
    this.#fingerprints = larger;
    if (this.#isDated) this.#addColumns(larger.length);
    for (let from = 0; from < prints.length; from += 1) {
      const print = prints[from] ?? 0;
      if (print === 0) continue;
      const slot = this.#slotOf(print);
      larger[slot] = print;
      if (!this.#isDated) continue;
      this.#stamps[slot] = stamps[from] ?? 0;
      this.#visited[slot] = visited[from] ?? 0;
    }
  }

  /** Returns the slot that holds a fingerprint, or the empty slot where it belongs. Linear probing; 0 marks an empty slot. */
  #slotOf(print: number): number {
    const mask = this.#fingerprints.length - 1;
    let slot = print % this.#fingerprints.length;
    while (this.#fingerprints[slot] !== print && this.#fingerprints[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }
}
