/**
 * Counts frequent keys in bounded memory (lossy counting, Manku and Motwani 2002). At capacity the rarest keys are
 * evicted. A key seen in more than one of `capacity / 2` cases is never evicted.
 */
export class FrequentItems<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, { count: number; readonly value: Value }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts `key` and returns its value, created by `make` on first use. */
  add(key: string, make: (key: string) => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) {
      known.count += 1;
      return known.value;
    }
    if (this.#values.size >= this.#capacity) this.#evictRarest();
    const value = make(key);
    this.#values.set(key, { count: 1, value });
    return value;
  }

  countOf(key: string): number {
    return this.#values.get(key)?.count ?? 0;
  }

  /** Yields all keys with their counts, in order of first use. */
  *entries(): Generator<{ readonly key: string; readonly count: number; readonly value: Value }> {
    for (const [key, { count, value }] of this.#values) yield { key, count, value };
  }

  #evictRarest(): void {
    for (let floor = 1; this.#values.size > this.#capacity / 2; floor *= 2)
      for (const [key, { count }] of this.#values) if (count <= floor) this.#values.delete(key);
  }
}
