import { setImmediate } from 'node:timers/promises';
import { addWords, hashOf, isWordAt, type Stretch } from './words.ts';

const BITS_A_WORD = 12;
const PROBES = 6;
const LEAST_BYTES = 8;
/** Largest size of a sketch, bytes: its row fits a database page. Above 4,000 different words the rate of false positives rises. */
export const MOST_BYTES = 6_000;

/** Returns the bit numbers of a hash before the reduction to the sketch's size (the remainder by it). */
export const placesOf = (hash: number): number[] => Array.from({ length: PROBES }, (_, i) => hash + i * stepOf(hash));

function stepOf(hash: number): number {
  let step = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  step = Math.imul(step ^ (step >>> 13), 0xc2b2ae35);
  return ((step ^ (step >>> 16)) & 0x3fffffff) | 1;
}

/**
 * Makes a Bloom filter of the words of a folded text, with a false positive in three hundred lookups. Bits are numbered as by PostgreSQL's
 * get_bit.
 */
export function makeSketch(folded: string): Buffer {
  const words = new Set<number>();
  addWords(folded, words);
  return sketchOf(words);
}

/** Characters that are processed before the event loop runs: a few milliseconds. */
const CHARS_PER_TURN = 250_000;

/** Makes the same sketch in pieces that end between words, so that a long text does not block the event loop. */
export async function makeSketchInTurns(folded: string, charsPerTurn = CHARS_PER_TURN): Promise<Buffer> {
  if (folded.length <= charsPerTurn) return makeSketch(folded);
  const words = new Set<number>();
  for (let from = 0; from < folded.length; ) {
    let to = Math.min(from + charsPerTurn, folded.length);
    while (isWordAt(folded, to) && to < from + 2 * charsPerTurn) to += 1;
    addWords(folded.slice(from, to), words);
    from = to;
    await setImmediate();
  }
  return sketchOf(words);
}

function sketchOf(words: ReadonlySet<number>): Buffer {
  const bytes = Math.min(Math.max(Math.ceil((words.size * BITS_A_WORD) / 8), LEAST_BYTES), MOST_BYTES);
  const sketch = Buffer.alloc(bytes);
  const bits = bytes * 8;
  for (const hash of words) {
    const step = stepOf(hash);
    for (let i = 0; i < PROBES; i += 1) {
      const bit = (hash + i * step) % bits;
      sketch[bit >> 3] = (sketch[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return sketch;
}

/** Returns the hashes that the sketch of a text with this part must contain. */
export function hashesOf(folded: string, { from, to, isDense }: Stretch): number[] {
  if (!isDense) return [hashOf(folded, from, to)];
  if (to - from === 1) return [hashOf(folded, from, to)];
  return Array.from({ length: to - from - 1 }, (_, i) => hashOf(folded, from + i, from + i + 2));
}

/** Returns whether a sketch contains a word, by the rule of the SQL query. */
export const shows = (sketch: Uint8Array, hash: number): boolean =>
  placesOf(hash).every((place) => {
    const bit = place % (sketch.length * 8);
    return ((sketch[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  });
