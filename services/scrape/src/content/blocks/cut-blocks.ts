import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { HeadData } from '../head/read-head.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import type { Element, Page } from '../tree/page-tree.ts';
import { BlockCutter } from './block-cutter.ts';
import { BLOCKS_VERSION } from './blocks-version.ts';
import { headFacts } from './head-facts.ts';

export interface CutRequest {
  /** Parsed and measured, with what is to be left out marked. */
  readonly page: Page;
  readonly urls: UrlResolver;
  readonly head: HeadData;
  /** Where only parts of the page were asked for: these, and nothing beside them. */
  readonly within?: readonly Element[] | undefined;
  /** What changes by itself: these stand apart from the text around them, and their blocks say so. */
  readonly setAside?: ReadonlySet<Element>;
}

/**
 * Cuts a page into the blocks comparisons work on: every text a reader sees, in order, with where it stands. What is hidden and what the
 * caller excludes is left out; what the page's chrome says is kept, and told apart by its landmark.
 */
export function cutBlocks({ page, urls, head, within, setAside = NONE }: CutRequest): PageBlocks {
  const cutter = new BlockCutter(page, urls, { within: within && new Set(within), setAside });
  const { blocks, sections, anchors } = cutter.cut();
  return { version: BLOCKS_VERSION, blocks, sections, anchors, head: headFacts(page, head) };
}

const NONE: ReadonlySet<Element> = new Set();
