import { hash } from 'node:crypto';
import { Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

const HASH_BYTES = 16;

/** Landmarks that surround the content. */
const AROUND = new Set<Landmark>([
  Landmark.LANDMARK_HEADER,
  Landmark.LANDMARK_NAV,
  Landmark.LANDMARK_ASIDE,
  Landmark.LANDMARK_FOOTER,
]);

/**
 * Returns the hash of a page's content, 16 bytes: the main blocks in order; if none is marked as main, all blocks
 * outside the surrounding landmarks.
 */
export function contentHash({ blocks }: Pick<PageBlocks, 'blocks'>): Buffer {
  const main = blocks.filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
  const content = main.length > 0 ? main : blocks.filter(({ landmark }) => !AROUND.has(landmark));
  // One call for all blocks: the overhead of a call exceeds the hashing.
  return hash('sha256', Buffer.concat(content.map((block) => block.hash)), 'buffer').subarray(0, HASH_BYTES);
}
