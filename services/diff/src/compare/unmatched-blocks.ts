import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { IdMap } from './sequence-diff.ts';
import { type Token, tokensOf } from './tokens.ts';

/** A block without its equal at the same place of the other reading. */
export interface UnmatchedBlock {
  /** Its place in its own reading. */
  readonly index: number;
  readonly block: Block;
  readonly anchor: string;
  /** Its place among the blocks of both readings, to tell what is near. */
  readonly order: number;
  /** Which stretch between two unchanged blocks it stands in. */
  readonly gap: number;
  readonly tokens: readonly Token[];
  /** Numbers of its words, sorted; of its other tokens where it has no words. */
  readonly words: Uint32Array;
}

/** What a loose block is before its words are looked at. */
export type BlockPosition = Pick<UnmatchedBlock, 'index' | 'order' | 'gap'>;

export function toUnmatched(reading: PageBlocks, position: BlockPosition, ids: IdMap): UnmatchedBlock | undefined {
  const block = reading.blocks[position.index];
  if (block === undefined) return undefined;
  const tokens = tokensOf(block.text);
  return { ...position, block, anchor: anchorOf(reading, block), tokens, words: wordIdsOf(tokens, ids) };
}

/** Where a block stands in its page's markup; empty where that is not kept. */
export const anchorOf = ({ anchors }: PageBlocks, { anchor }: Block): string => anchors[anchor - 1] ?? '';

/** The heading a block stands under; empty: none. */
export const sectionOf = ({ sections }: PageBlocks, { section }: Block): string => sections[section - 1] ?? '';

function wordIdsOf(tokens: readonly Token[], ids: IdMap): Uint32Array {
  const words = tokens.filter(({ isWord }) => isWord);
  return ids.all((words.length > 0 ? words : tokens).map(({ text }) => text)).sort();
}

/** How alike two bags of words are, 0 to 1: twice what they share of what they hold. */
export function diceOf(a: Uint32Array, b: Uint32Array): number {
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * sharedOf(a, b)) / total;
}

/** How many words two sorted bags share. */
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
