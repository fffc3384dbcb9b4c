/** Entries of the table: a power of two, 8 bytes each. */
const ENTRIES = 2 ** 18;

/**
 * Remembers addresses that are certainly known to a run, so that they are not offered to the database again. Forgets at will: a table
 * of fixed size for all runs of the process, in which a newer address takes an older one's place.
 */
export class SeenCache {
  readonly #high = new Uint32Array(ENTRIES);
  readonly #low = new Uint32Array(ENTRIES);

  has(runNo: bigint, key: Buffer): boolean {
    const [slot, high, low] = placeOf(runNo, key);
    return this.#high[slot] === high && this.#low[slot] === low;
  }

  add(runNo: bigint, key: Buffer): void {
    const [slot, high, low] = placeOf(runNo, key);
    this.#high[slot] = high;
    this.#low[slot] = low;
  }
}

/** The slot of an address and 64 bits of its key, none of which is in the choice of the slot. */
function placeOf(runNo: bigint, key: Buffer): [number, number, number] {
  const run = Number(BigInt.asUintN(32, runNo * 0x9e3779b1n));
  const slot = ((key.readUInt32LE(0) ^ run) >>> 0) % ENTRIES;
  // Never two zeroes, which an empty slot has.
  return [slot, (key.readUInt32LE(4) ^ run) >>> 0, (key.readUInt32LE(8) | 1) >>> 0];
}
