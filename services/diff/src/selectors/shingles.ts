import { type Element, isElement, type TreeNode } from '@tidemark/page-reader/source';
import { type MarkupPage, UNREAD_TAGS } from '../markup/markup-tree.ts';

/** Words of any script; characters of scripts without spaces stand alone. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** A range of word positions, end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A page's words as hashes, in reading order, and the range of each element. */
export interface WordedPage {
  readonly page: MarkupPage;
  readonly words: Uint32Array;
  readonly spans: ReadonlyMap<Element, Span>;
}

/** FNV-1a: https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
function wordHash(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export const wordsIn = (text: string): number[] => (text.toLowerCase().match(WORD) ?? []).map(wordHash);

export function readWords(page: MarkupPage): WordedPage {
  const words: number[] = [];
  const spans = new Map<Element, Span>();
  const walk = (node: TreeNode): void => {
    if (!isElement(node)) {
      for (const word of wordsIn(node)) words.push(word);
      return;
    }
    if (UNREAD_TAGS.has(node.tag)) return;
    const from = words.length;
    node.children.forEach(walk);
    spans.set(node, { from, to: words.length });
  };
  walk(page.body);
  return { page, words: Uint32Array.from(words), spans };
}

/** Shingles of `size` words of a text, with their frequencies. */
export interface Fingerprint {
  readonly size: number;
  readonly shingles: ReadonlyMap<number, number>;
  readonly total: number;
}

/** Returns the shingle size: five words for long texts, fewer for short ones. */
export const shingleSize = (words: number): number => (words >= 20 ? 5 : words >= 6 ? 3 : 1);

function shingleHash(words: ArrayLike<number>, from: number, size: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < size; i += 1) hash = Math.imul(hash ^ (words[from + i] ?? 0), 0x01000193) ^ (hash >>> 15);
  return hash >>> 0;
}

/** Yields the hash of each shingle in a range; a shorter range is one shingle. */
export function* shinglesIn(words: ArrayLike<number>, { from, to }: Span, size: number): Generator<number> {
  if (to - from < size) {
    if (to > from) yield shingleHash(words, from, to - from);
    return;
  }
  for (let at = from; at + size <= to; at += 1) yield shingleHash(words, at, size);
}

export function fingerprintOf(words: ArrayLike<number>, spans: readonly Span[], size: number): Fingerprint {
  const shingles = new Map<number, number>();
  let total = 0;
  for (const span of spans)
    for (const run of shinglesIn(words, span, size)) {
      shingles.set(run, (shingles.get(run) ?? 0) + 1);
      total += 1;
    }
  return { size, shingles, total };
}

/** Returns the Dice coefficient of two fingerprints of one size. */
export function diceOf(a: Fingerprint, b: Fingerprint): number {
  if (a.total + b.total === 0) return 0;
  let shared = 0;
  for (const [run, times] of a.shingles) shared += Math.min(times, b.shingles.get(run) ?? 0);
  return (2 * shared) / (a.total + b.total);
}
