import type { Block } from '@tidemark/contracts/page/v1/blocks';

/** The words of a text that are in none of the given texts. */
export interface MissingWords {
  readonly words: number;
  /** The words beyond the number of their occurrences in the blocks, in order. */
  readonly missing: readonly string[];
  /** All words occur, in the order of the text. */
  readonly isInOrder: boolean;
}

/** Zero-width characters and soft hyphens, which are not rendered. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** White space, and the end of a sentence in scripts without it: longer texts are split there. */
const BETWEEN = /\s+|(?<=[。！？])/u;

/** Splits a text into words, after compatibility normalisation. Pieces without a letter or a digit are no words. */
export const wordsIn = (text: string): string[] =>
  text
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .split(BETWEEN)
    .filter((word) => HAS_LETTER.test(word));

/** Compares the words of a text with those of blocks: as multisets, and in order. */
export function missingWords(text: string, blocks: readonly Pick<Block, 'text'>[]): MissingWords {
  const words = wordsIn(text);
  const compared = blocks.flatMap((block) => wordsIn(block.text));
  const left = new Map<string, number>();
  for (const word of compared) left.set(word, (left.get(word) ?? 0) + 1);
  const missing = words.filter((word) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count === 0;
  });
  return { words: words.length, missing, isInOrder: isSubsequence(words, compared) };
}

function isSubsequence(words: readonly string[], of: readonly string[]): boolean {
  let next = 0;
  for (const word of of) if (word === words[next]) next++;
  return next === words.length;
}
