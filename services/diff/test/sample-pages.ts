import { createHash } from 'node:crypto';
import { type Block, BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

/** Returns a page with these paragraphs as blocks. */
export const readingOf = (...texts: readonly string[]): PageBlocks => pageOf(texts.map((text) => block(text)));

/** Returns a page of these blocks, all with one anchor and section unless they set others. */
export const pageOf = (blocks: readonly Block[], head: PageBlocks['head'] = []): PageBlocks => ({
  version: 1,
  blocks: [...blocks],
  sections: ['Terms'],
  anchors: ['main>p', 'main>div'],
  head,
});

export function block(text: string, more: Partial<Block> = {}): Block {
  const links = more.links ?? [];
  return {
    hash: createHash('sha1')
      .update(`${text}\n${links.join('\n')}`)
      .digest()
      .subarray(0, 8),
    text,
    mask: undefined,
    landmark: Landmark.LANDMARK_MAIN,
    kind: BlockKind.BLOCK_KIND_PARAGRAPH,
    section: 1,
    anchor: 1,
    links,
    linkTexts: [],
    ...(links === undefined || links.length === 0
      ? {}
      : { textHash: createHash('sha1').update(text).digest().subarray(0, 8) }),
    ...more,
  };
}

/** Returns words that no other seed produces. */
export const uniqueWords = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, at) => `${seed}${at.toString(36)}`).join(' ');
