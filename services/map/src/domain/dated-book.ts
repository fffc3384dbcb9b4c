import { fingerprint } from './url-book.ts';

const FIRST_SLOTS = 1 << 12;
const FULLEST = 0.6;
/** What a date that is none counts from: behind every date in seconds. */
const WORDS = 2 ** 31;

/** A date as trees compare it: the second it names, however it is written; 0 where there is none. */
export function dateStamp(lastmod: string): number {
  if (lastmod === '') return 0;
  const seconds = Math.floor(Date.parse(lastmod) / 1_000);
  return seconds > 0 && seconds < WORDS ? seconds : WORDS + (fingerprint(lastmod) % WORDS);
}

const REMEMBERED = 1_000;

/** Reads dates, those that come often once: most files have few of them. */
export function makeDateStamp(): (lastmod: string) => number {
  const known = new Map<string, number>();
  return (lastmod) => {
    const before = known.get(lastmod);
    if (before !== undefined) return before;
    const stamp = dateStamp(lastmod);
    if (known.size < REMEMBERED) known.set(lastmod, stamp);
    return stamp;
  };
}

/**
 * The addresses of a tree with their dates, in 13 bytes each, whatever their length, and which of them were seen again: a million
 * of them, of thousands of files, are compared in 30 MB. Merging the files' sorted documents would hold all of them open at once.
 */
export class DatedBook {
  #prints = new Float64Array(FIRST_SLOTS);
  #stamps = new Uint32Array(FIRST_SLOTS);
  #seen = new Uint8Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The first date an address comes with stays. */
  add(url: string, stamp: number): void {
    if (this.#size >= this.#prints.length * FULLEST) this.#grow();
    const print = fingerprint(url);
    const at = this.#slotOf(print);
    if (this.#prints[at] === print) return;
    this.#prints[at] = print;
    this.#stamps[at] = stamp;
    this.#size += 1;
  }

  /** Notes that an address was seen. @returns its date and whether it had been seen before; undefined where it is not in the book */
  see(url: string): { readonly stamp: number; readonly again: boolean } | undefined {
    const print = fingerprint(url);
    const at = this.#slotOf(print);
    if (this.#prints[at] !== print) return undefined;
    const again = this.#seen[at] === 1;
    this.#seen[at] = 1;
    return { stamp: this.#stamps[at] ?? 0, again };
  }

  /** Where a fingerprint is, or would be; 0 is an empty slot. */
  #slotOf(print: number): number {
    const mask = this.#prints.length - 1;
    let at = print % this.#prints.length;
    while (this.#prints[at] !== print && this.#prints[at] !== 0) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [prints, stamps, seen] = [this.#prints, this.#stamps, this.#seen];
    this.#prints = new Float64Array(prints.length * 2);
    this.#stamps = new Uint32Array(prints.length * 2);
    this.#seen = new Uint8Array(prints.length * 2);
    for (let from = 0; from < prints.length; from += 1) {
      const print = prints[from] ?? 0;
      if (print === 0) continue;
      const at = this.#slotOf(print);
      this.#prints[at] = print;
      this.#stamps[at] = stamps[from] ?? 0;
      this.#seen[at] = seen[from] ?? 0;
    }
  }
}
