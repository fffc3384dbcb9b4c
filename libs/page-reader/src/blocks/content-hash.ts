import { hash } from 'node:crypto';
import { type Block, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

const HASH_BYTES = 16;

/** Landmarks that surround the content. */
const AROUND = new Set<Landmark>([
  Landmark.LANDMARK_HEADER,
  Landmark.LANDMARK_NAV,
  Landmark.LANDMARK_ASIDE,
  Landmark.LANDMARK_FOOTER,
]);

/**
 * Returns the hash of a page's content, 16 bytes: text and links of the main blocks in order; if none is marked as main, all blocks
 * outside the surrounding landmarks.
 */
export const contentHash = ({ blocks }: Pick<PageBlocks, 'blocks'>): Buffer =>
  hashOfAll(contentBlocks(blocks).map(({ hash }) => hash));

/** As `contentHash`, over the text alone and without blocks with volatile content: equal texts have equal hashes. */
export const textHash = ({ blocks }: Pick<PageBlocks, 'blocks'>): Buffer =>
  hashOfAll(
    contentBlocks(blocks).flatMap((block) => (block.isVolatile === true ? [] : (block.textHash ?? block.hash))),
  );

/** Returns the blocks of a page's content: those that are marked as main; if none is, all outside the surrounding landmarks. */
export function contentBlocks(blocks: readonly Block[]): readonly Block[] {
  const main = blocks.filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
  return main.length > 0 ? main : blocks.filter(({ landmark }) => !AROUND.has(landmark));
}

// One call for all blocks: the overhead of a call exceeds the hashing.
const hashOfAll = (hashes: readonly Uint8Array[]): Buffer =>
  hash('sha256', Buffer.concat(hashes), 'buffer').subarray(0, HASH_BYTES);
