import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { Addresses } from '../address.ts';
import type { HeadData } from '../head.ts';
import type { Element, Page } from '../tree.ts';
import { BlockCutter } from './block-cutter.ts';
import { headFacts } from './head-facts.ts';

/** Raised whenever the same page would be cut into other blocks: readings of two versions can't be compared as they are. */
export const BLOCKS_VERSION = 1;

export interface CutRequest {
  /** Parsed and measured, with what is to be left out marked. */
  readonly page: Page;
  readonly addresses: Addresses;
  readonly head: HeadData;
  /** Where only parts of the page were asked for: these, and nothing beside them. */
  readonly within?: readonly Element[] | undefined;
}

/**
 * Cuts a page into the blocks comparisons work on: every text a reader sees, in order, with where it stands. What is hidden and what the
 * caller excludes is left out; what the page's chrome says is kept, and told apart by its landmark.
 */
export function cutBlocks({ page, addresses, head, within }: CutRequest): PageBlocks {
  const cutter = new BlockCutter(page, addresses, within && new Set(within));
  const { blocks, sections, anchors } = cutter.cut();
  return { version: BLOCKS_VERSION, blocks, sections, anchors, head: headFacts(page, head) };
}
