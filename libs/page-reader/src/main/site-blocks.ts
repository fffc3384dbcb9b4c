import { type Element, Flag, isBlock, isElement, visibleLine } from '../tree/page-tree.ts';
import { isHeadingTag, isLeaf } from './prose.ts';
import { BLOCK_CHARS, FIRST_BLOCKS, KEY_BYTES, LAST_BLOCKS, SHARE_CAP, SITE_BLOCKS_MIN_WORDS } from './thresholds.ts';

const OMITTED = Flag.notRendered | Flag.boilerplate | Flag.excluded;

/** Blocks of other pages of the site, for pages of runs. */
export interface SiteBlocks {
  /** Keys of the blocks that repeat over the pages of the site, four bytes each. */
  readonly repeated: Uint8Array;
}

/** Returns the keys of the first and last blocks of the content, four bytes each. A key is a hash of the block's text. */
export function blockKeysOf(root: Element): Uint8Array {
  const blocks = blocksOf(root);
  const chosen =
    blocks.length <= FIRST_BLOCKS + LAST_BLOCKS
      ? blocks
      : [...blocks.slice(0, FIRST_BLOCKS), ...blocks.slice(-LAST_BLOCKS)];
  const keys = Buffer.alloc(chosen.length * KEY_BYTES);
  for (const [at, block] of chosen.entries()) keys.writeUInt32LE(keyOf(block), at * KEY_BYTES);
  return keys;
}

/**
 * Marks the blocks of the content that repeat over the site. Comparisons do not read the mark: a page is the same page
 * whatever other pages were read before it.
 * @returns true if a block was marked
 */
export function markSiteBlocks(root: Element, { repeated }: SiteBlocks): boolean {
  const view = Buffer.from(repeated.buffer, repeated.byteOffset, repeated.byteLength);
  const keys = new Set<number>();
  for (let at = 0; at + KEY_BYTES <= view.length; at += KEY_BYTES) keys.add(view.readUInt32LE(at));
  if (keys.size === 0) return false;
  const blocks = blocksOf(root).filter((block) => keys.has(keyOf(block)));
  const words = blocks.reduce((sum, block) => sum + block.words, 0);
  if (blocks.length === 0 || words > root.words * SHARE_CAP) return false;
  for (const block of blocks) block.flags |= Flag.siteBlock;
  return true;
}

/** Lines and paragraphs of the content, except headings. */
function blocksOf(root: Element): Element[] {
  const blocks: Element[] = [];
  const collect = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) || (child.flags & OMITTED) !== 0 || child.words < SITE_BLOCKS_MIN_WORDS) continue;
      if (!isLeaf(child)) collect(child);
      else if (isBlock(child.tag) && !isHeadingTag(child.tag)) blocks.push(child);
    }
  };
  collect(root);
  return blocks;
}

/** FNV-1a over the code units of the text. http://www.isthe.com/chongo/tech/comp/fnv/ */
function keyOf(block: Element): number {
  const text = visibleLine(block, BLOCK_CHARS).toLowerCase();
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
