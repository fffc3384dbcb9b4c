import type { ChangedBlock, ComparedBlock } from '@tidemark/sdk';

type Block = ChangedBlock | ComparedBlock;

interface Folded {
  readonly shown: readonly Block[];
  readonly folded: readonly Block[];
}

const isContent = ({ landmark }: Block): boolean => landmark === 'main' || landmark === '';

/**
 * Separates the parts around the content (header, navigation, footer) where the blocks are those of a whole page, added or removed. Of
 * a modified page every block is shown: each one is a change.
 */
export function foldFrame(blocks: readonly Block[]): Folded {
  const [first] = blocks;
  const isWholePage =
    first !== undefined &&
    (first.op === 'added' || first.op === 'removed') &&
    blocks.every(({ op }) => op === first.op);
  const shown = blocks.filter(isContent);
  if (!isWholePage || shown.length === 0) return { shown: blocks, folded: [] };
  return { shown, folded: blocks.filter((block) => !isContent(block)) };
}
