/** Returns a 32-bit hash of its parts: FNV-1a with a final avalanche, so that consecutive numbers have unrelated hashes. */
export function hashOf(...parts: readonly (string | number)[]): number {
  const text = parts.join('\n');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns a number from 0 to below 1 that depends on the parts alone. */
export const shareOf = (...parts: readonly (string | number)[]): number => hashOf(...parts) / 4_294_967_296;

/** A seeded source of numbers from 0 to below 1. */
export type Random = () => number;

/** Returns the random generator of a seed (mulberry32): every run draws the same numbers. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns an integer from `least` to `most`, both included. */
export const integerOf = (next: Random, least: number, most: number): number =>
  least + Math.floor(next() * (most - least + 1));
