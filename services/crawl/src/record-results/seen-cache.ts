/** Entries of the table: a power of two, 8 bytes each. */
const ENTRIES = 2 ** 18;

/**
 * Caches URLs that a run's frontier contains, so that they are not inserted again. A hash table of fixed size for all runs of the instance:
 * a newer URL replaces an older one in the same slot.
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

/** Returns the slot of a URL and 64 other bits of its key. */
function placeOf(runNo: bigint, key: Buffer): [number, number, number] {
  const run = Number(BigInt.asUintN(32, runNo * 0x9e3779b1n));
  const slot = ((key.readUInt32LE(0) ^ run) >>> 0) % ENTRIES;
  // Never two zeroes, the value of an empty slot.
  return [slot, (key.readUInt32LE(4) ^ run) >>> 0, (key.readUInt32LE(8) | 1) >>> 0];
}
