import { hash } from 'node:crypto';
import { Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

const HASH_BYTES = 16;

/** The parts around a page's content. */
const AROUND = new Set<Landmark>([
  Landmark.LANDMARK_HEADER,
  Landmark.LANDMARK_NAV,
  Landmark.LANDMARK_ASIDE,
  Landmark.LANDMARK_FOOTER,
]);

/** What a page's content comes to, 16 bytes: its main blocks in order; where none is marked as main, all that are not around the content. */
export function contentHash({ blocks }: Pick<PageBlocks, 'blocks'>): Buffer {
  const main = blocks.filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
  const content = main.length > 0 ? main : blocks.filter(({ landmark }) => !AROUND.has(landmark));
  // One call for all: a call costs more than what it adds.
  return hash('sha256', Buffer.concat(content.map((block) => block.hash)), 'buffer').subarray(0, HASH_BYTES);
}
