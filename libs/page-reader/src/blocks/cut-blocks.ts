import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { HeadData } from '../head/read-head.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import type { Element, Page } from '../tree/page-tree.ts';
import { BlockCutter, type ShownContent } from './block-cutter.ts';
import { BLOCKS_VERSION } from './blocks-version.ts';
import { headFields } from './head-fields.ts';

export interface CutRequest {
  /** Parsed, measured and flagged. */
  readonly page: Page;
  readonly urls: UrlResolver;
  readonly head: HeadData;
  /** What text and markdown are written from. */
  readonly shown: ShownContent;
  /** Elements to cut if only parts of the page were requested. */
  readonly within?: readonly Element[] | undefined;
  /** Elements with volatile content: they become separate blocks, marked as set aside. */
  readonly volatile?: ReadonlySet<Element>;
  /** The content is the main content: what the content filters mark as boilerplate is not part of it. */
  readonly dropsBoilerplate?: boolean;
}

/**
 * Cuts a page into the blocks that comparisons use: every visible text in reading order, with its place. Hidden and
 * excluded elements are omitted. Chrome is kept and marked by its landmark. Each word of the shown content is in a block.
 */
export function cutBlocks({
  page,
  urls,
  head,
  shown,
  within,
  volatile = NONE,
  dropsBoilerplate = false,
}: CutRequest): PageBlocks {
  const cutter = new BlockCutter(page, urls, {
    shown,
    within: within && new Set(within),
    volatile,
    dropsBoilerplate,
  });
  const { blocks, sections, anchors } = cutter.cut();
  return { version: BLOCKS_VERSION, blocks, sections, anchors, head: headFields(page, head) };
}

const NONE: ReadonlySet<Element> = new Set();
