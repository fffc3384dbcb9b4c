import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';

/** The blocks of a page that does not exist. */
export const NO_BLOCKS: PageBlocks = { version: 0, blocks: [], sections: [], anchors: [], head: [] };
