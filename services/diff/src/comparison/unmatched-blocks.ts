import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { IdMap } from './sequence-diff.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A block without an equal at its position in the other reading. */
export interface UnmatchedBlock {
  /** Index in its own reading. */
  readonly index: number;
  readonly block: Block;
  readonly anchor: string;
  /** Order among the blocks of both readings, as a measure of distance. */
  readonly order: number;
  /** Number of the gap between two unchanged blocks. */
  readonly gap: number;
  readonly tokens: readonly Token[];
  /** Sorted ids of its words, or of its other tokens if it has no words. */
  readonly words: Uint32Array;
}

/** Position of an unmatched block. */
export type BlockPosition = Pick<UnmatchedBlock, 'index' | 'order' | 'gap'>;

export function toUnmatched(reading: PageBlocks, position: BlockPosition, ids: IdMap): UnmatchedBlock | undefined {
  const block = reading.blocks[position.index];
  if (block === undefined) return undefined;
  const tokens = tokensOf(block.text);
  return { ...position, block, anchor: anchorOf(reading, block), tokens, words: wordIdsOf(tokens, ids) };
}

/** Returns the element path of a block; empty if not stored. */
export const anchorOf = ({ anchors }: PageBlocks, { anchor }: Block): string => anchors[anchor - 1] ?? '';

/** Returns the heading above a block; empty: none. */
export const sectionOf = ({ sections }: PageBlocks, { section }: Block): string => sections[section - 1] ?? '';

function wordIdsOf(tokens: readonly Token[], ids: IdMap): Uint32Array {
  const words = tokens.filter(({ isWord }) => isWord);
  return ids.all((words.length > 0 ? words : tokens).map(({ text }) => text)).sort();
}

/** Returns the Dice coefficient of two sorted word lists, 0 to 1. */
export function diceOf(a: Uint32Array, b: Uint32Array): number {
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * sharedOf(a, b)) / total;
}

/** Returns the number of common words of two sorted lists. */
export function sharedOf(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x = 0, y = 0] = [a[i], b[j]];
    if (x === y) shared += 1;
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return shared;
}
