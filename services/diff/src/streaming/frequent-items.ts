/**
 * What is met often, in bounded memory (lossy counting, Manku and Motwani 2002): where more keys are met than there is room for,
 * the rarest are forgotten. A key met in more than one of `capacity / 2` cases is never lost.
 */
export class FrequentItems<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, { count: number; readonly value: Value }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts `key`; what is kept beside it is made when it is first met. */
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

  /** Keys with how often they were met, in the order in which they first were. */
  *entries(): Generator<{ readonly key: string; readonly count: number; readonly value: Value }> {
    for (const [key, { count, value }] of this.#values) yield { key, count, value };
  }

  #evictRarest(): void {
    for (let floor = 1; this.#values.size > this.#capacity / 2; floor *= 2)
      for (const [key, { count }] of this.#values) if (count <= floor) this.#values.delete(key);
  }
}
