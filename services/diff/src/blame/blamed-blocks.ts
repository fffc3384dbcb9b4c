import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { tokensOf } from '../comparison/tokens.ts';
import { sectionOf } from '../comparison/unmatched-blocks.ts';
import type { BlameState, BlockHistory } from './blame-state.ts';

/** A block of a version with its history. */
export interface BlamedBlock {
  readonly block: Block;
  readonly section: string;
  readonly history: BlockHistory;
  /** The text in runs of words that appeared in the same version; they join to the text. */
  readonly runs: readonly { readonly text: string; readonly version: number }[];
}

/** Returns the blocks of a version, which is a content (`contentPageOf`), with the state after it. */
export const blamedBlocks = (page: PageBlocks, { blocks }: BlameState): BlamedBlock[] =>
  page.blocks.flatMap((block, index) => {
    const history = blocks[index];
    return history === undefined
      ? []
      : [{ block, section: sectionOf(page, block), history, runs: runsOf(block.text, history) }];
  });

function runsOf(text: string, { origin, words }: BlockHistory): { text: string; version: number }[] {
  const runs: { text: string; version: number }[] = [];
  let word = 0;
  for (const token of tokensOf(text)) {
    const last = runs.at(-1);
    // Punctuation belongs to the word before it.
    const version = token.isWord ? (words[word] ?? origin) : (last?.version ?? words[word] ?? origin);
    if (token.isWord) word += 1;
    if (last?.version === version) last.text += token.space + token.text;
    else runs.push({ text: token.space + token.text, version });
  }
  return runs;
}
