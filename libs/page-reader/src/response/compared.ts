import type { MatchedSelectors } from '@tidemark/contracts/page/v1/page';

/** Hashes of a page that was cut into blocks. Two captures are compared by them without reading their blocks. */
export interface Compared {
  /** Hash over the blocks of the main content. */
  readonly contentHash: Uint8Array;
  /** Hash over the text of the main content, without links. */
  readonly textHash: Uint8Array;
  /** Hash over all blocks, the head and the extracted fields. */
  readonly comparedHash: Uint8Array;
  readonly blocksVersion: number;
  readonly matched: MatchedSelectors;
}
