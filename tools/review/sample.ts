/** Returns pseudo-random numbers in [0, 1) of a seed: the same sequence everywhere (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns `size` of the items, chosen by a Fisher-Yates shuffle with this seed. The items must have a fixed order. */
export function sampleOf<T>(
  items: readonly T[],
  { size, seed }: { readonly size: number; readonly seed: number },
): T[] {
  const random = randomOf(seed);
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < size && rest.length > 0) {
    const [one] = rest.splice(Math.floor(random() * rest.length), 1);
    if (one !== undefined) chosen.push(one);
  }
  return chosen;
}
