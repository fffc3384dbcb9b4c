import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, PageDelta } from '../domain/page-delta.ts';
import { sectionOf } from './unmatched-blocks.ts';

/** A block of the later reading that did not change. */
export interface UnchangedBlock {
  readonly block: Block;
  /** As in a change. */
  readonly section: string;
}

/** One block of a page in reading order. */
export type PagePart = { readonly change: BlockChange } | { readonly unchanged: UnchangedBlock };

/**
 * Returns all blocks of a page in reading order: the changes, and between them the unchanged blocks of the later reading.
 * A degraded comparison has no positions; only its changes are returned.
 */
export function wholePage({ blocks, positions }: PageDelta, after: PageBlocks): PagePart[] {
  if (positions === undefined) return blocks.map((change) => ({ change }));
  const changed = new Set(blocks.flatMap((change, at) => (change.after === undefined ? [] : [positions[at]])));
  const parts: PagePart[] = [];
  let next = 0;
  const addUnchanged = (to: number): void => {
    for (; next < to; next += 1) {
      const block = after.blocks[next];
      if (block === undefined || changed.has(next)) continue;
      parts.push({ unchanged: { block, section: sectionOf(after, block) } });
    }
  };
  for (const [at, change] of blocks.entries()) {
    addUnchanged(positions[at] ?? next);
    parts.push({ change });
  }
  addUnchanged(after.blocks.length);
  return parts;
}
