import { Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

const { imul } = Math;

/** Number of values of a sketch (MinHash, Broder 1997). */
export const SKETCH_SIZE = 64;
const SHINGLE_WORDS = 5;
/** Pages with fewer shingles are too short to compare. */
const MIN_SHINGLES = 8;
/** Words used per page. */
const MAX_WORDS = 20_000;
/** A word, or one character of a script written without spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

const BOILERPLATE: ReadonlySet<Landmark> = new Set([
  Landmark.LANDMARK_HEADER,
  Landmark.LANDMARK_NAV,
  Landmark.LANDMARK_FOOTER,
]);

/** MinHash values of a text's word shingles. The share of equal values estimates the share of common shingles. */
export type Sketch = Uint32Array;

/** Returns the sketch of a page's content without boilerplate; undefined: too short. */
export function sketchPage({ blocks }: PageBlocks): Sketch | undefined {
  const main = blocks.filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
  const content = main.length > 0 ? main : blocks.filter(({ landmark }) => !BOILERPLATE.has(landmark));
  return sketchText(content.map(({ text }) => text).join('\n'));
}

/** Returns the sketch of a text; undefined: too short. */
export function sketchText(text: string): Sketch | undefined {
  const words = hashWords(text);
  if (words.length < SHINGLE_WORDS + MIN_SHINGLES - 1) return undefined;
  const sketch = new Uint32Array(SKETCH_SIZE).fill(0xffff_ffff);
  for (let at = 0; at + SHINGLE_WORDS <= words.length; at += 1) {
    let shingle = 0x811c_9dc5;
    for (let word = at; word < at + SHINGLE_WORDS; word += 1) shingle = imul(shingle ^ (words[word] ?? 0), 0x0100_0193);
    mixInto(sketch, shingle >>> 0);
  }
  return sketch;
}

/** Returns the share of equal values of two sketches. */
export function similarity(a: Sketch, b: Sketch): number {
  let equal = 0;
  for (let at = 0; at < SKETCH_SIZE; at += 1) if (a[at] === b[at]) equal += 1;
  return equal / SKETCH_SIZE;
}

function hashWords(text: string): number[] {
  const hashes: number[] = [];
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    let hash = 0x811c_9dc5;
    for (let at = 0; at < word.length; at += 1) hash = imul(hash ^ word.charCodeAt(at), 0x0100_0193);
    if (hashes.push(hash) >= MAX_WORDS) break;
  }
  return hashes;
}

/** Fixed permutations: the same text always gives the same sketch. */
const FACTORS = Int32Array.from({ length: SKETCH_SIZE }, (_, order) => scramble(order * 2 + 1) | 1);
const MASKS = Int32Array.from({ length: SKETCH_SIZE }, (_, order) => scramble(order * 2 + 2));

function mixInto(sketch: Sketch, shingle: number): void {
  for (let order = 0; order < SKETCH_SIZE; order += 1) {
    let value = imul(shingle ^ (MASKS[order] ?? 0), FACTORS[order] ?? 1);
    value = imul(value ^ (value >>> 15), 0x2c1b_3c6d);
    value = (value ^ (value >>> 13)) >>> 0;
    if (value < (sketch[order] ?? 0)) sketch[order] = value;
  }
}

/** Finaliser of MurmurHash3. */
function scramble(seed: number): number {
  let value = imul(seed, 0x9e37_79b1);
  value = imul(value ^ (value >>> 16), 0x85eb_ca6b);
  value = imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
