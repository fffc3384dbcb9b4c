import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { contentBlocks } from '@tidemark/page-reader/source';

/**
 * Returns the part of a page whose history is followed: the blocks of its content, without those of volatile selectors. Their hash is that
 * of the text, so that a change of link targets alone is no change.
 */
export const contentPageOf = ({ version, blocks, sections, anchors }: PageBlocks): PageBlocks => ({
  version,
  sections,
  anchors,
  head: [],
  blocks: contentBlocks(blocks).flatMap((block) =>
    block.isVolatile === true ? [] : [{ ...block, hash: block.textHash ?? block.hash }],
  ),
});
